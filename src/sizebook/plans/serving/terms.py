"""What the latencies of a plan's replica consist of, at the load that it is planned for."""

from sizebook.plans.serving.replica import PlannedReplica
from sizebook.serving.terms import Latencies, kernels_basis, latency_terms, pooled_terms


def terms_of(replica: PlannedReplica) -> Latencies:
    """Return the terms of a steady load as large as the planned one.

    They add up to the estimate of that load, whether requests are simulated one by one or not.
    """
    found, kernels = replica.at(replica.concurrency), kernels_basis(replica.setup.gpu)
    if replica.pools is not None:
        return pooled_terms(replica.pools, found, replica.demand, kernels=kernels)
    return latency_terms(replica.case, found, replica.demand, kernels=kernels)

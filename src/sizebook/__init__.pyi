"""Written from the registry by `make generated`; do not edit."""

from collections.abc import Mapping
from typing import Any, TypeAlias, overload

from sizebook.api.counts import count as count
from sizebook.api.plans import Plan as Plan
from sizebook.api.plans import plan as plan
from sizebook.api.tables import catalog as catalog
from sizebook.api.tables import sweep as sweep
from sizebook.core.errors import SizebookError as SizebookError

__version__: str
_Value: TypeAlias = int | float | str | None
_Section: TypeAlias = Mapping[str, Any] | None

@overload
def activation_bytes(n_layers: _Value, d_model: _Value, n_heads: _Value, seq: _Value, tp: _Value = ..., pp: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., sequence_parallel: _Value = ..., *, layout: _Section = ...) -> float:
    """Return the activations that the first pipeline stage of a GPT keeps for the backward pass, in bf16 with dropout."""
@overload
def activation_bytes(n_layers: Any, d_model: Any, n_heads: Any, seq: Any, tp: Any = ..., pp: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., sequence_parallel: Any = ..., *, layout: _Section = ...) -> Any: ...

@overload
def adapter_params(model: _Value, tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ...) -> int:
    """Return the parameters that adapters on a published model train: rank x (inputs + outputs) of every matrix."""
@overload
def adapter_params(model: Any, tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ...) -> Any: ...

@overload
def api_usd_per_month(requests_per_day: _Value, input_tokens: _Value, output_tokens: _Value, cached_share: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., *, api: _Section = ...) -> float:
    """Return what an API asks for the requests of a month, 730 / 24 days, by its listed price of tokens."""
@overload
def api_usd_per_month(requests_per_day: Any, input_tokens: Any, output_tokens: Any, cached_share: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., *, api: _Section = ...) -> Any: ...

@overload
def api_usd_per_request(input_tokens: _Value, output_tokens: _Value, usd_per_mtok_in: _Value, usd_per_mtok_out: _Value, cached_share: _Value = ..., cached_discount: _Value = ...) -> float:
    """Return what an API charges for a request: input x (1 - cached share x discount) x price in + output x price out."""
@overload
def api_usd_per_request(input_tokens: Any, output_tokens: Any, usd_per_mtok_in: Any, usd_per_mtok_out: Any, cached_share: Any = ..., cached_discount: Any = ...) -> Any: ...

@overload
def blended_usd_per_gpu_hour(reserved_share: _Value, reserved_usd_per_gpu_hour: _Value, on_demand_usd_per_gpu_hour: _Value) -> float:
    """Return the mean price of a mix of reserved and on-demand (or spot) hours."""
@overload
def blended_usd_per_gpu_hour(reserved_share: Any, reserved_usd_per_gpu_hour: Any, on_demand_usd_per_gpu_hour: Any) -> Any: ...

@overload
def break_even_gpu_hours(capex_usd: _Value, rented_usd_per_gpu_hour: _Value, running_usd_per_gpu_hour: _Value = ...) -> float:
    """Return the hours after which a bought GPU is cheaper than a rented one: purchase / (rent - running cost)."""
@overload
def break_even_gpu_hours(capex_usd: Any, rented_usd_per_gpu_hour: Any, running_usd_per_gpu_hour: Any = ...) -> Any: ...

@overload
def break_even_requests(usd_per_month: _Value, api_usd_per_request: _Value) -> float:
    """Return the requests a month above which a fleet costs less than an API: cost a month / API cost of a request."""
@overload
def break_even_requests(usd_per_month: Any, api_usd_per_request: Any) -> Any: ...

@overload
def cache_bytes_available(model: _Value, gpu: _Value, tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., version: _Value = ..., *, replica: _Section = ...) -> float:
    """Return what is left for the cache on one GPU: memory x utilization - weights - activation peak - outside torch."""
@overload
def cache_bytes_available(model: Any, gpu: Any, tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., version: Any = ..., *, replica: _Section = ...) -> Any: ...

@overload
def checkpoint_bytes(path: _Value) -> int:
    """Return the bytes of the values that a checkpoint of any architecture holds, scales and buffers included."""
@overload
def checkpoint_bytes(path: Any) -> Any: ...

@overload
def checkpoint_interval_seconds(mtbf_hours: _Value, checkpoint_seconds: _Value = ...) -> float:
    """Return the seconds of work between checkpoints that lose least time: Daly's optimum, Young's first order inside."""
@overload
def checkpoint_interval_seconds(mtbf_hours: Any, checkpoint_seconds: Any = ...) -> Any: ...

@overload
def checkpoint_params(path: _Value) -> int:
    """Return the parameters that a checkpoint of any architecture holds, from its headers alone."""
@overload
def checkpoint_params(path: Any) -> Any: ...

@overload
def cluster_mtbf_hours(gpus: _Value, gpu_mtbf_hours: _Value = ...) -> float:
    """Return the mean hours between interruptions of a job: the MTBF of one GPU over the number of GPUs."""
@overload
def cluster_mtbf_hours(gpus: Any, gpu_mtbf_hours: Any = ...) -> Any: ...

@overload
def config_params(path: _Value, part: _Value = ...) -> int:
    """Return the exact trainable parameters of the model that a config.json describes, in total or of one part."""
@overload
def config_params(path: Any, part: Any = ...) -> Any: ...

@overload
def days_to_spare(n_flops: _Value, gpus: _Value, days: _Value, peak_flop_per_s: _Value, utilization: _Value, goodput: _Value = ...) -> float:
    """Return the days left of a deadline after training, or refuse a deadline that cannot be met and say by how much."""
@overload
def days_to_spare(n_flops: Any, gpus: Any, days: Any, peak_flop_per_s: Any, utilization: Any, goodput: Any = ...) -> Any: ...

@overload
def day_shares(shape: Any = ..., hours_active: _Value = ..., time_zones: Any = ...) -> Any:
    """Return each hour of a day over its mean, from midnight: 24 x one of 24 relative numbers / their sum."""
@overload
def day_shares(shape: Any = ..., hours_active: Any = ..., time_zones: Any = ...) -> Any: ...

@overload
def decode_pool_gpus(requests_per_second: _Value, output_tokens: _Value, decode_step_seconds: _Value, concurrency: _Value, gpus_per_replica: _Value, target_load: _Value = ...) -> float:
    """Return the GPUs of a separate decode pool: sequences decoding at once / those of a replica x its GPUs / load."""
@overload
def decode_pool_gpus(requests_per_second: Any, output_tokens: Any, decode_step_seconds: Any, concurrency: Any, gpus_per_replica: Any, target_load: Any = ...) -> Any: ...

@overload
def decode_step_seconds(model: _Value, gpu: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, demand: _Section = ..., replica: _Section = ...) -> float:
    """Return one decode step alone, every request halfway through its answer: weights and cache read, FLOPs, links."""
@overload
def decode_step_seconds(model: Any, gpu: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, demand: _Section = ..., replica: _Section = ...) -> Any: ...

@overload
def dtype_bits(dtype: _Value) -> float:
    """Return the bits that one weight takes in storage, scales included: element bits + scale bits / block size."""
@overload
def dtype_bits(dtype: Any) -> Any: ...

@overload
def embodied_co2e_kg(gpu_hours: _Value, kg_per_gpu: _Value = ..., lifetime_years: _Value = ..., busy: _Value = ...) -> float:
    """Return the run's share of what making the hardware emitted: hours used / hours of its life x kg per GPU."""
@overload
def embodied_co2e_kg(gpu_hours: Any, kg_per_gpu: Any = ..., lifetime_years: Any = ..., busy: Any = ...) -> Any: ...

@overload
def fine_tuning_fits(model: _Value, gpu_memory_gib: _Value, seq: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., *, tuned: _Section = ...) -> bool:
    """Return whether a published model can be fine-tuned on one GPU of so much memory: full, LoRA, QLoRA or DoRA."""
@overload
def fine_tuning_fits(model: Any, gpu_memory_gib: Any, seq: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., *, tuned: _Section = ...) -> Any: ...

@overload
def fine_tuning_memory(model: _Value, gpu_memory_gib: _Value, seq: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., *, tuned: _Section = ...) -> Any:
    """Return what fine-tuning a published model needs on one GPU: whether it fits, bytes in all and by component."""
@overload
def fine_tuning_memory(model: Any, gpu_memory_gib: Any, seq: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., *, tuned: _Section = ...) -> Any: ...

@overload
def fits(model: _Value, gpu: _Value, batch: _Value = ..., seq: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., *, layout: _Section = ..., method: _Section = ...) -> bool:
    """Return whether training a published model fits on GPUs of one kind in a given layout: see TRAIN_MEMORY_BYTES."""
@overload
def fits(model: Any, gpu: Any, batch: Any = ..., seq: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., *, layout: _Section = ..., method: _Section = ...) -> Any: ...

@overload
def fleet_alternatives(services: Any, start: Any = ..., months: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., burst_hours: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., share_nodes: _Value = ..., nodes_per_rack: _Value = ..., kw_per_rack: _Value = ..., rack_units: _Value = ..., gpu_ceiling: _Value = ..., rack_ceiling: _Value = ..., kw_ceiling: _Value = ..., rows: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return the months of a fleet with GPUs rented, with GPUs bought, and at APIs; names in the first row."""
@overload
def fleet_alternatives(services: Any, start: Any = ..., months: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., burst_hours: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., share_nodes: Any = ..., nodes_per_rack: Any = ..., kw_per_rack: Any = ..., rack_units: Any = ..., gpu_ceiling: Any = ..., rack_ceiling: Any = ..., kw_ceiling: Any = ..., rows: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def fleet_basis(services: Any, start: Any = ..., months: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., burst_hours: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., share_nodes: _Value = ..., nodes_per_rack: _Value = ..., kw_per_rack: _Value = ..., rack_units: _Value = ..., gpu_ceiling: _Value = ..., rack_ceiling: _Value = ..., kw_ceiling: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return what formulas of a fleet start from, of each service: one replica, its node, listed prices, power, grid."""
@overload
def fleet_basis(services: Any, start: Any = ..., months: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., burst_hours: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., share_nodes: Any = ..., nodes_per_rack: Any = ..., kw_per_rack: Any = ..., rack_units: Any = ..., gpu_ceiling: Any = ..., rack_ceiling: Any = ..., kw_ceiling: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def fleet_commitments(services: Any, start: Any = ..., months: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., burst_hours: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., share_nodes: _Value = ..., nodes_per_rack: _Value = ..., kw_per_rack: _Value = ..., rack_units: _Value = ..., gpu_ceiling: _Value = ..., rack_ceiling: _Value = ..., kw_ceiling: _Value = ..., rows: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return the contracts of a fleet month by month, service by service: those that run, and what to sign for."""
@overload
def fleet_commitments(services: Any, start: Any = ..., months: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., burst_hours: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., share_nodes: Any = ..., nodes_per_rack: Any = ..., kw_per_rack: Any = ..., rack_units: Any = ..., gpu_ceiling: Any = ..., rack_ceiling: Any = ..., kw_ceiling: Any = ..., rows: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def fleet_figures(services: Any, start: Any = ..., months: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., burst_hours: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., share_nodes: _Value = ..., nodes_per_rack: _Value = ..., kw_per_rack: _Value = ..., rack_units: _Value = ..., gpu_ceiling: _Value = ..., rack_ceiling: _Value = ..., kw_ceiling: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return figures of each service of a fleet plan: a replica, prices of GPU-hours, first and last month, cost."""
@overload
def fleet_figures(services: Any, start: Any = ..., months: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., burst_hours: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., share_nodes: Any = ..., nodes_per_rack: Any = ..., kw_per_rack: Any = ..., rack_units: Any = ..., gpu_ceiling: Any = ..., rack_ceiling: Any = ..., kw_ceiling: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def fleet_ledger(services: Any, start: Any = ..., months: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., burst_hours: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., share_nodes: _Value = ..., nodes_per_rack: _Value = ..., kw_per_rack: _Value = ..., rack_units: _Value = ..., gpu_ceiling: _Value = ..., rack_ceiling: _Value = ..., kw_ceiling: _Value = ..., rows: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return a fleet plan month by month, all services together: GPUs, nodes, racks, power, cost, energy, carbon."""
@overload
def fleet_ledger(services: Any, start: Any = ..., months: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., burst_hours: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., share_nodes: Any = ..., nodes_per_rack: Any = ..., kw_per_rack: Any = ..., rack_units: Any = ..., gpu_ceiling: Any = ..., rack_ceiling: Any = ..., kw_ceiling: Any = ..., rows: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def flops_6nd(n_parameters: _Value, tokens: _Value) -> float:
    """Return the training FLOPs of the rule 6 N D: a multiply-add forward and two backward per parameter and token."""
@overload
def flops_6nd(n_parameters: Any, tokens: Any) -> Any: ...

@overload
def flops_forward(model: _Value, seq: _Value, sequences: _Value = ...) -> float:
    """Return the FLOPs of one forward pass over some sequences, attention as the full square of every layer."""
@overload
def flops_forward(model: Any, seq: Any, sequences: Any = ...) -> Any: ...

@overload
def flops_per_step_gpt(n_layers: _Value, d_model: _Value, vocab: _Value, batch: _Value, seq: _Value, recompute: _Value = ...) -> float:
    """Return the FLOPs of one optimizer step of a GPT (d_ff = 4 d_model, heads as wide as the model), full-square scores."""
@overload
def flops_per_step_gpt(n_layers: Any, d_model: Any, vocab: Any, batch: Any, seq: Any, recompute: Any = ...) -> Any: ...

@overload
def flops_per_token(model: _Value, seq: _Value = ..., flops_convention: _Value = ..., recompute: _Value = ...) -> float:
    """Return the training FLOPs that one token of a published model costs, under a named convention."""
@overload
def flops_per_token(model: Any, seq: Any = ..., flops_convention: Any = ..., recompute: Any = ...) -> Any: ...

@overload
def flops_per_token_lora(model: _Value, seq: _Value, lora_rank: _Value, lora_on: _Value = ...) -> float:
    """Return the FLOPs per token of training low-rank adapters on a frozen published model: 4 N + 6 adapters + scores."""
@overload
def flops_per_token_lora(model: Any, seq: Any, lora_rank: Any, lora_on: Any = ...) -> Any: ...

@overload
def flops_per_token_palm(n_parameters: _Value, n_layers: _Value, n_heads: _Value, d_head: _Value, seq: _Value) -> float:
    """Return training FLOPs per token as PaLM counts them for MFU: 6 N + 12 L H Q T."""
@overload
def flops_per_token_palm(n_parameters: Any, n_layers: Any, n_heads: Any, d_head: Any, seq: Any) -> Any: ...

@overload
def goodput(mtbf_hours: _Value, checkpoint_seconds: _Value = ..., restart_seconds: _Value = ..., interval_seconds: _Value = ...) -> float:
    """Return the share of wall-clock time that advances the run: work over work + checkpoints + lost work + restarts."""
@overload
def goodput(mtbf_hours: Any, checkpoint_seconds: Any = ..., restart_seconds: Any = ..., interval_seconds: Any = ...) -> Any: ...

@overload
def gpus_for_deadline(n_flops: _Value, days: _Value, peak_flop_per_s: _Value, utilization: _Value, goodput: _Value = ...) -> int:
    """Return the fewest GPUs that finish in so many days at a given utilisation, rounded up."""
@overload
def gpus_for_deadline(n_flops: Any, days: Any, peak_flop_per_s: Any, utilization: Any, goodput: Any = ...) -> Any: ...

@overload
def gpus_for_traffic(requests_per_second: _Value, replica_requests_per_second: _Value, gpus_per_replica: _Value, target_load: _Value = ..., spare_replicas: _Value = ...) -> int:
    """Return the GPUs to run for a traffic: replicas x GPUs of one replica (tp x pp x dp)."""
@overload
def gpus_for_traffic(requests_per_second: Any, replica_requests_per_second: Any, gpus_per_replica: Any, target_load: Any = ..., spare_replicas: Any = ...) -> Any: ...

@overload
def gpu_hours(gpus: _Value, seconds: _Value) -> float:
    """Return the GPU-hours of a run: GPUs x hours, idle ones included."""
@overload
def gpu_hours(gpus: Any, seconds: Any) -> Any: ...

@overload
def gpu_list(maker: _Value = ...) -> Any:
    """Return the keys of the accelerators that are known, one a row, of one maker or of all."""
@overload
def gpu_list(maker: Any = ...) -> Any: ...

@overload
def gpu_spec(gpu: _Value, field: _Value) -> str:
    """Return one figure of an accelerator's data sheet in the unit its field names: bytes, bytes/s, FLOP/s, watts, USD."""
@overload
def gpu_spec(gpu: Any, field: Any) -> Any: ...

@overload
def grid_g_per_kwh(grid: _Value, basis: _Value = ...) -> float:
    """Return the grams of CO2e that one kWh carries in a country or cloud region."""
@overload
def grid_g_per_kwh(grid: Any, basis: Any = ...) -> Any: ...

@overload
def kv_bytes_per_token(model: _Value, tp: _Value = ..., kv_dtype: _Value = ...) -> float:
    """Return the cache that one more token takes on one GPU: sum over layers of 2 x heads held x d_head x bytes."""
@overload
def kv_bytes_per_token(model: Any, tp: Any = ..., kv_dtype: Any = ...) -> Any: ...

@overload
def kv_cache_bytes(model: _Value, context_tokens: _Value, kv_dtype: _Value = ..., sequences: _Value = ...) -> float:
    """Return the bytes of keys and values (and recurrent state) that a published model keeps for sequences of tokens."""
@overload
def kv_cache_bytes(model: Any, context_tokens: Any, kv_dtype: Any = ..., sequences: Any = ...) -> Any: ...

@overload
def kv_cache_bytes_per_gpu(model: _Value, context_tokens: _Value, tp: _Value = ..., pp: _Value = ..., kv_dtype: _Value = ..., encoder_tokens: _Value = ...) -> float:
    """Return the cache and state of one sequence on one GPU: full layers hold S tokens, windowed layers min(S, W)."""
@overload
def kv_cache_bytes_per_gpu(model: Any, context_tokens: Any, tp: Any = ..., pp: Any = ..., kv_dtype: Any = ..., encoder_tokens: Any = ...) -> Any: ...

@overload
def kv_transfer_seconds(kv_bytes: _Value, link_bytes_per_second: _Value) -> float:
    """Return the time that moving one prompt's cache from the prefill to the decode pool takes: bytes / link rate."""
@overload
def kv_transfer_seconds(kv_bytes: Any, link_bytes_per_second: Any) -> Any: ...

@overload
def logits_bytes(vocab: _Value, seq: _Value, tp: _Value = ..., micro_batch: _Value = ..., bytes_each: _Value = ...) -> float:
    """Return the bytes of one copy of the logits of a micro-batch, fp32 unless said otherwise."""
@overload
def logits_bytes(vocab: Any, seq: Any, tp: Any = ..., micro_batch: Any = ..., bytes_each: Any = ...) -> Any: ...

@overload
def market_co2e_kg(energy_kwh: _Value, covered_share: _Value, residual_grams_per_kwh: _Value, contract_grams_per_kwh: _Value = ...) -> float:
    """Return market-based greenhouse gases in kg: energy covered by contracts at theirs, the rest at the residual mix."""
@overload
def market_co2e_kg(energy_kwh: Any, covered_share: Any, residual_grams_per_kwh: Any, contract_grams_per_kwh: Any = ...) -> Any: ...

@overload
def max_concurrency(model: _Value, gpu: _Value, context_tokens: _Value, tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, replica: _Section = ...) -> int:
    """Return the requests that the cache of one replica holds at that context: dp x floor(free cache / cache of one)."""
@overload
def max_concurrency(model: Any, gpu: Any, context_tokens: Any, tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, replica: _Section = ...) -> Any: ...

@overload
def max_context(model: _Value, gpu: _Value, concurrency: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, replica: _Section = ...) -> int:
    """Return the longest context that so many requests can have at once on a replica, by memory alone."""
@overload
def max_context(model: Any, gpu: Any, concurrency: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, replica: _Section = ...) -> Any: ...

@overload
def mfu(tokens_per_s_per_gpu: _Value, flops_per_token: _Value, peak_flop_per_s: _Value) -> float:
    """Return model FLOPs utilisation: FLOPs that the model needs per second over the dense peak of the GPU."""
@overload
def mfu(tokens_per_s_per_gpu: Any, flops_per_token: Any, peak_flop_per_s: Any) -> Any: ...

@overload
def min_gpus_train(model: _Value, gpu: _Value, seq: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., *, recipe: _Section = ...) -> int:
    """Return the fewest GPUs, a power of two, on which some layout trains a published model with the whole of its states."""
@overload
def min_gpus_train(model: Any, gpu: Any, seq: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., *, recipe: _Section = ...) -> Any: ...

@overload
def model_bytes(parameters: _Value, dtype: _Value = ...) -> int:
    """Return the bytes of a model's weights: parameters x bits per weight / 8, rounded up to a whole byte."""
@overload
def model_bytes(parameters: Any, dtype: Any = ...) -> Any: ...

@overload
def model_list(family: _Value = ...) -> Any:
    """Return the keys of the published models, one a row, of one family or of all; spills down."""
@overload
def model_list(family: Any = ...) -> Any: ...

@overload
def model_notes(model: _Value) -> str:
    """Return what a reader of a model's count must know, or 'none'."""
@overload
def model_notes(model: Any) -> Any: ...

@overload
def model_spec(model: _Value, field: _Value) -> str:
    """Return one fact about a published model: a column of the catalog, or a dimension of its architecture."""
@overload
def model_spec(model: Any, field: Any) -> Any: ...

@overload
def model_state_bytes(n_parameters: _Value, dp: _Value = ..., zero_stage: _Value = ..., weight_bytes_each: _Value = ..., gradient_bytes_each: _Value = ..., optimizer_bytes_each: _Value = ...) -> float:
    """Return weights, gradients and optimizer states of one rank under ZeRO: each part divided by dp from its stage on."""
@overload
def model_state_bytes(n_parameters: Any, dp: Any = ..., zero_stage: Any = ..., weight_bytes_each: Any = ..., gradient_bytes_each: Any = ..., optimizer_bytes_each: Any = ...) -> Any: ...

@overload
def optimal_params(n_flops: _Value, approach: _Value = ...) -> int:
    """Return the model size of least loss for a training compute of C = 6 N D FLOPs."""
@overload
def optimal_params(n_flops: Any, approach: Any = ...) -> Any: ...

@overload
def optimal_tokens(n_parameters: _Value, approach: _Value = ...) -> float:
    """Return the training tokens for which a model of this size is the compute-optimal one."""
@overload
def optimal_tokens(n_parameters: Any, approach: Any = ...) -> Any: ...

@overload
def optimizer_bytes(n_parameters: _Value, optimizer: _Value = ...) -> float:
    """Return the bytes of optimizer states: parameters x bytes per parameter of that optimizer, master weights apart."""
@overload
def optimizer_bytes(n_parameters: Any, optimizer: Any = ...) -> Any: ...

@overload
def owned_usd_per_gpu_hour(capex_usd: _Value, years: _Value = ..., busy: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., system_watts: _Value = ..., pue: _Value = ..., *, purchase: _Section = ..., running: _Section = ...) -> float:
    """Return what one used hour of an owned GPU costs: depreciation, staff, energy with PUE, colocation."""
@overload
def owned_usd_per_gpu_hour(capex_usd: Any, years: Any = ..., busy: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., system_watts: Any = ..., pue: Any = ..., *, purchase: _Section = ..., running: _Section = ...) -> Any: ...

@overload
def params_active(model: _Value) -> int:
    """Return the parameters of a published model that one token visits."""
@overload
def params_active(model: Any) -> Any: ...

@overload
def params_attention(d_model: _Value, n_heads: _Value, d_head: _Value, n_kv_heads: _Value = ..., bias: _Value = ...) -> int:
    """Return the trainable parameters of one attention block with explicit heads, grouped where n_kv_heads is given."""
@overload
def params_attention(d_model: Any, n_heads: Any, d_head: Any, n_kv_heads: Any = ..., bias: Any = ...) -> Any: ...

@overload
def params_decoder(n_layers: _Value, d_model: _Value, d_ff: _Value, convention: _Value = ...) -> int:
    """Return the trainable parameters of the original decoder stack: two attentions, feed-forward, three norms a layer."""
@overload
def params_decoder(n_layers: Any, d_model: Any, d_ff: Any, convention: Any = ...) -> Any: ...

@overload
def params_decoder_only(n_layers: _Value, d_model: _Value, d_ff: _Value, vocab: _Value, n_positions: _Value = ..., projection_bias: _Value = ..., tied: _Value = ..., final_norm: _Value = ..., *, variant: _Section = ...) -> int:
    """Return the trainable parameters of a plain decoder-only model: tables, attention, feed-forward, two norms."""
@overload
def params_decoder_only(n_layers: Any, d_model: Any, d_ff: Any, vocab: Any, n_positions: Any = ..., projection_bias: Any = ..., tied: Any = ..., final_norm: Any = ..., *, variant: _Section = ...) -> Any: ...

@overload
def params_embedding(n_entries: _Value, d_model: _Value, n_positions: _Value = ...) -> int:
    """Return the trainable parameters of the token table and, where positions are learned, the position table."""
@overload
def params_embedding(n_entries: Any, d_model: Any, n_positions: Any = ...) -> Any: ...

@overload
def params_encoder(n_layers: _Value, d_model: _Value, d_ff: _Value, convention: _Value = ...) -> int:
    """Return the trainable parameters of the original encoder stack: attention, feed-forward and two norms a layer."""
@overload
def params_encoder(n_layers: Any, d_model: Any, d_ff: Any, convention: Any = ...) -> Any: ...

@overload
def params_ffn(d_model: _Value, d_ff: _Value, bias: _Value = ..., gated: _Value = ..., convention: _Value = ...) -> int:
    """Return the trainable parameters of one feed-forward block, plain (two matrices) or gated (three)."""
@overload
def params_ffn(d_model: Any, d_ff: Any, bias: Any = ..., gated: Any = ..., convention: Any = ...) -> Any: ...

@overload
def params_for_budget(budget_usd: _Value, price_usd_per_gpu_hour: _Value, peak_flop_per_s: _Value, utilization: _Value, approach: _Value = ...) -> int:
    """Return the compute-optimal model size for a budget: OPTIMAL_PARAMS of the FLOPs that the GPU-hours deliver."""
@overload
def params_for_budget(budget_usd: Any, price_usd_per_gpu_hour: Any, peak_flop_per_s: Any, utilization: Any, approach: Any = ...) -> Any: ...

@overload
def params_gpt(n_layers: _Value, d_model: _Value, n_heads: _Value, d_head: _Value, vocab: _Value, n_positions: _Value) -> int:
    """Return the weights of a GPT-3 model from the columns of its table: no biases, no norms, output projection tied."""
@overload
def params_gpt(n_layers: Any, d_model: Any, n_heads: Any, d_head: Any, vocab: Any, n_positions: Any) -> Any: ...

@overload
def params_linear(d_in: _Value, d_out: _Value, bias: _Value = ...) -> int:
    """Return the trainable parameters of one linear projection: a d_in x d_out matrix and d_out biases."""
@overload
def params_linear(d_in: Any, d_out: Any, bias: Any = ...) -> Any: ...

@overload
def params_ln(d_model: _Value, bias: _Value = ...) -> int:
    """Return the trainable parameters of one layer norm: gain and bias; without bias it is an RMSNorm."""
@overload
def params_ln(d_model: Any, bias: Any = ...) -> Any: ...

@overload
def params_lora(d_model: _Value, d_out: _Value, lora_rank: _Value) -> int:
    """Return the trainable parameters of one low-rank adapter on a d_model x d_out matrix: rank x (d_model + d_out)."""
@overload
def params_lora(d_model: Any, d_out: Any, lora_rank: Any) -> Any: ...

@overload
def params_mha(d_model: _Value, bias: _Value = ...) -> int:
    """Return the trainable parameters of one multi-head attention block."""
@overload
def params_mha(d_model: Any, bias: Any = ...) -> Any: ...

@overload
def params_model(model: _Value, part: _Value = ...) -> int:
    """Return the exact trainable parameters of a published model, in total or of one part."""
@overload
def params_model(model: Any, part: Any = ...) -> Any: ...

@overload
def params_non_embedding(n_layers: _Value, d_model: _Value, d_attn: _Value, d_ff: _Value) -> int:
    """Return Kaplan's N: the weights of a decoder-only stack without embeddings, biases and norms."""
@overload
def params_non_embedding(n_layers: Any, d_model: Any, d_attn: Any, d_ff: Any) -> Any: ...

@overload
def params_transformer(n_layers: _Value, d_model: _Value, d_ff: _Value, vocab: _Value, n_positions: _Value = ..., convention: _Value = ...) -> int:
    """Return the trainable parameters of an original encoder-decoder: both stacks and the vocabulary matrix once."""
@overload
def params_transformer(n_layers: Any, d_model: Any, d_ff: Any, vocab: Any, n_positions: Any = ..., convention: Any = ...) -> Any: ...

@overload
def peak_of_day(shape: Any = ..., hours_active: _Value = ..., time_zones: Any = ...) -> float:
    """Return the busiest hour of a day over its mean: 24 x the largest of 24 relative numbers / their sum."""
@overload
def peak_of_day(shape: Any = ..., hours_active: Any = ..., time_zones: Any = ...) -> Any: ...

@overload
def peak_requests_per_second(requests_per_day: _Value, peak_factor: _Value = ...) -> float:
    """Return the arrival rate of the busiest hour: requests a day / 86 400 x peak factor."""
@overload
def peak_requests_per_second(requests_per_day: Any, peak_factor: Any = ...) -> Any: ...

@overload
def pipeline_bubble(pp: _Value, micro_batches: _Value, interleave: _Value = ...) -> float:
    """Return the pipeline's idle time over its busy time: (p - 1) / (v m), with v interleaved chunks a stage."""
@overload
def pipeline_bubble(pp: Any, micro_batches: Any, interleave: Any = ...) -> Any: ...

@overload
def plan_serving(model: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., gpus_compared: Any = ..., *, inputs: _Section = ...) -> Any:
    """Return the cheapest ways to serve a traffic within a target: one a row, at most 12, cheapest first."""
@overload
def plan_serving(model: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., gpus_compared: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def plan_training(model: _Value, gpu: _Value, gpus: _Value, batch: _Value, seq: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., n_layouts: _Value = ..., *, batches: _Section = ..., method: _Section = ...) -> Any:
    """Return the layouts of a cluster that train a published model fastest, and the faster ones that do not fit with why."""
@overload
def plan_training(model: Any, gpu: Any, gpus: Any, batch: Any, seq: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., n_layouts: Any = ..., *, batches: _Section = ..., method: _Section = ...) -> Any: ...

@overload
def prefill_pool_gpus(requests_per_second: _Value, prefill_gpu_seconds: _Value, target_load: _Value = ...) -> float:
    """Return the GPUs of a separate prefill pool: arrival rate x GPU-seconds of one prompt / target load."""
@overload
def prefill_pool_gpus(requests_per_second: Any, prefill_gpu_seconds: Any, target_load: Any = ...) -> Any: ...

@overload
def prefill_seconds(model: _Value, gpu: _Value, input_tokens: _Value, cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, replica: _Section = ...) -> float:
    """Return the time of one prompt's pass with nothing else running: FLOPs at prefill efficiency, links, launches."""
@overload
def prefill_seconds(model: Any, gpu: Any, input_tokens: Any, cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, replica: _Section = ...) -> Any: ...

@overload
def price_usd_per_gpu_hour(gpu: _Value, provider: _Value = ..., region: _Value = ..., term: _Value = ..., price_quantile: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., *, own: _Section = ...) -> float:
    """Return what one accelerator costs an hour, host included: the median of the matching catalog rows, or an end."""
@overload
def price_usd_per_gpu_hour(gpu: Any, provider: Any = ..., region: Any = ..., term: Any = ..., price_quantile: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., *, own: _Section = ...) -> Any: ...

@overload
def programme_budget(phases: Any, start: Any = ..., ablation_share: _Value = ..., evaluation_share: _Value = ..., data_cpu_hours: _Value = ..., usd_per_cpu_hour: _Value = ..., licences_usd: _Value = ..., checkpoint_bytes_per_parameter: _Value = ..., retention_months: _Value = ..., usd_per_tb_month: _Value = ..., egress_tb: _Value = ..., usd_per_egress_tb: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return a programme's budget: names, then low, middle and high: days, GPU-hours, cost by part, energy, carbon."""
@overload
def programme_budget(phases: Any, start: Any = ..., ablation_share: Any = ..., evaluation_share: Any = ..., data_cpu_hours: Any = ..., usd_per_cpu_hour: Any = ..., licences_usd: Any = ..., checkpoint_bytes_per_parameter: Any = ..., retention_months: Any = ..., usd_per_tb_month: Any = ..., egress_tb: Any = ..., usd_per_egress_tb: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def programme_figures(phases: Any, start: Any = ..., ablation_share: _Value = ..., evaluation_share: _Value = ..., data_cpu_hours: _Value = ..., usd_per_cpu_hour: _Value = ..., licences_usd: _Value = ..., checkpoint_bytes_per_parameter: _Value = ..., retention_months: _Value = ..., usd_per_tb_month: _Value = ..., egress_tb: _Value = ..., usd_per_egress_tb: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return the phases of a programme side by side: tokens, GPUs, layout, days, GPU-hours by use, cost, memory."""
@overload
def programme_figures(phases: Any, start: Any = ..., ablation_share: Any = ..., evaluation_share: Any = ..., data_cpu_hours: Any = ..., usd_per_cpu_hour: Any = ..., licences_usd: Any = ..., checkpoint_bytes_per_parameter: Any = ..., retention_months: Any = ..., usd_per_tb_month: Any = ..., egress_tb: Any = ..., usd_per_egress_tb: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def programme_ledger(phases: Any, start: Any = ..., ablation_share: _Value = ..., evaluation_share: _Value = ..., data_cpu_hours: _Value = ..., usd_per_cpu_hour: _Value = ..., licences_usd: _Value = ..., checkpoint_bytes_per_parameter: _Value = ..., retention_months: _Value = ..., usd_per_tb_month: _Value = ..., egress_tb: _Value = ..., usd_per_egress_tb: _Value = ..., *, terms: _Section = ...) -> Any:
    """Return a programme month by month in its middle case: GPU-hours, cost by part, energy, carbon, power in MW."""
@overload
def programme_ledger(phases: Any, start: Any = ..., ablation_share: Any = ..., evaluation_share: Any = ..., data_cpu_hours: Any = ..., usd_per_cpu_hour: Any = ..., licences_usd: Any = ..., checkpoint_bytes_per_parameter: Any = ..., retention_months: Any = ..., usd_per_tb_month: Any = ..., egress_tb: Any = ..., usd_per_egress_tb: Any = ..., *, terms: _Section = ...) -> Any: ...

@overload
def replicas_for_traffic(requests_per_second: _Value, replica_requests_per_second: _Value, target_load: _Value = ..., spare_replicas: _Value = ...) -> int:
    """Return the replicas to run: ceil(arrival rate / (rate of one replica x target load)) + spare."""
@overload
def replicas_for_traffic(requests_per_second: Any, replica_requests_per_second: Any, target_load: Any = ..., spare_replicas: Any = ...) -> Any: ...

@overload
def replica_utilization(requests_per_second: _Value, replicas: _Value, replica_requests_per_second: _Value) -> float:
    """Return the share of the fleet's rate that traffic uses: arrival rate / (replicas x rate of one)."""
@overload
def replica_utilization(requests_per_second: Any, replicas: Any, replica_requests_per_second: Any) -> Any: ...

@overload
def requests_after(requests_per_day: _Value, growth_per_month: _Value, months: _Value) -> float:
    """Return requests a day after some months of compound growth: now x (1 + growth)^months."""
@overload
def requests_after(requests_per_day: Any, growth_per_month: Any, months: Any) -> Any: ...

@overload
def requests_in_flight(requests_per_second: _Value, request_seconds: _Value) -> float:
    """Return the requests in the system at once: arrival rate x time from sending to the last token."""
@overload
def requests_in_flight(requests_per_second: Any, request_seconds: Any) -> Any: ...

@overload
def request_seconds(model: _Value, gpu: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> float:
    """Return the time from sending a request to its last token: TTFT + TPOT x (output tokens - 1)."""
@overload
def request_seconds(model: Any, gpu: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> Any: ...

@overload
def serving_alternatives(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return the months of a serving plan with GPUs rented, with GPUs bought, and at an API; names in the first row."""
@overload
def serving_alternatives(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_backwards(model: _Value, gpu: _Value, given: _Value, limit: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., models: Any = ..., *, inputs: _Section = ...) -> Any:
    """Return the most that a sum a month, GPUs, kW or a price of tokens buys: traffic, latency, the largest model."""
@overload
def serving_backwards(model: Any, gpu: Any, given: Any, limit: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., models: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_basis(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., *, inputs: _Section = ...) -> Any:
    """Return what formulas of traffic, money and energy start from: one replica, listed prices, power, grid."""
@overload
def serving_basis(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_co2e_kg(energy_kwh: _Value, grams_per_kwh: _Value) -> float:
    """Return location-based greenhouse gases of a fleet's energy in kg: energy x grid intensity / 1000."""
@overload
def serving_co2e_kg(energy_kwh: Any, grams_per_kwh: Any) -> Any: ...

@overload
def serving_commitments(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return the contracts of a serving plan month by month: those that run, and what to sign for the least cost."""
@overload
def serving_commitments(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_cost_usd_per_month(gpus: _Value, usd_per_gpu_hour: _Value, hours: _Value = ...) -> float:
    """Return what GPUs cost a month: GPUs x price x 730 hours (8760 / 12), idle hours included."""
@overload
def serving_cost_usd_per_month(gpus: Any, usd_per_gpu_hour: Any, hours: Any = ...) -> Any: ...

@overload
def serving_curve(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., loads: Any = ..., *, inputs: _Section = ...) -> Any:
    """Return latency and throughput of the replica of a serving plan, one load a row: of both its pools where there are two."""
@overload
def serving_curve(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., loads: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_error(gpu: _Value, engine: _Value = ..., figure: _Value = ..., quantile: _Value = ..., measured_model: _Value = ..., rates_file: _Value = ...) -> float:
    """Return a quantile of measured over predicted TPOT, TTFT or throughput on a GPU, of a fit that saw none of its group."""
@overload
def serving_error(gpu: Any, engine: Any = ..., figure: Any = ..., quantile: Any = ..., measured_model: Any = ..., rates_file: Any = ...) -> Any: ...

@overload
def serving_figures(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., *, inputs: _Section = ...) -> Any:
    """Return the headline figures of a serving plan as names and values: one replica, its latency and memory, prices."""
@overload
def serving_figures(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_kwh(gpus: _Value, tdp_watts: _Value, utilized: _Value, pue: _Value = ..., hours: _Value = ..., busy_over_tdp: _Value = ..., idle_over_tdp: _Value = ..., *, wall: _Section = ...) -> float:
    """Return the energy of a fleet: GPUs x hours x TDP x (busy share x 1.3 + idle share x 0.3) x PUE / 1000."""
@overload
def serving_kwh(gpus: Any, tdp_watts: Any, utilized: Any, pue: Any = ..., hours: Any = ..., busy_over_tdp: Any = ..., idle_over_tdp: Any = ..., *, wall: _Section = ...) -> Any: ...

@overload
def serving_ledger(model: _Value, gpu: _Value, requests_per_day: _Value = ..., input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., growth_per_month: _Value = ..., start: Any = ..., months: _Value = ..., shape: Any = ..., burst_factor: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: _Value = ..., tpot_target_seconds: _Value = ..., band_quantile: _Value = ..., target_load: _Value = ..., spare: _Value = ..., failure_domain: _Value = ..., whole_nodes: _Value = ..., gpus_per_node: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., capex_usd: _Value = ..., years: _Value = ..., usd_per_kwh: _Value = ..., colocation_usd_per_kw_month: _Value = ..., staff_usd_per_year: _Value = ..., residual: _Value = ..., buy: _Value = ..., depreciation: _Value = ..., financing: _Value = ..., financing_rate_per_year: _Value = ..., loan_months: _Value = ..., reserved_usd_per_gpu_hour: _Value = ..., on_demand_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., pue: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., separate_prefill: _Value = ..., prefill_tp: _Value = ..., prefill_dp: _Value = ..., prefill_workers: _Value = ..., decode_workers: _Value = ..., transfer_bytes_per_second: _Value = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., users: _Value = ..., active_share: _Value = ..., requests_per_user: _Value = ..., working_days: _Value = ..., hours_active: _Value = ..., time_zones: Any = ..., price_change_per_month: _Value = ..., price_change_per_year: _Value = ..., turns: _Value = ..., turn_tokens: _Value = ..., think_seconds: _Value = ..., returning: _Value = ..., host_cache_bytes: _Value = ..., host_cache_bytes_per_second: _Value = ..., host_cache_shared: _Value = ..., load_bytes_per_second: _Value = ..., start_seconds: _Value = ..., interruptions_per_hour: _Value = ..., notice_seconds: _Value = ..., replacement_seconds: _Value = ..., served_share: _Value = ..., spot_usd_per_gpu_hour: _Value = ..., api_provider: _Value = ..., api_model: _Value = ..., in_batches: _Value = ..., images: _Value = ..., image_width: _Value = ..., image_height: _Value = ..., image_frames: _Value = ..., sign_terms: _Value = ..., reserved_3y_usd_per_gpu_hour: _Value = ..., prepay: _Value = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return a serving plan month by month: GPUs at peak and reserved, cost, energy, carbon; names in the first row."""
@overload
def serving_ledger(model: Any, gpu: Any, requests_per_day: Any = ..., input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., growth_per_month: Any = ..., start: Any = ..., months: Any = ..., shape: Any = ..., burst_factor: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., ttft_target_seconds: Any = ..., tpot_target_seconds: Any = ..., band_quantile: Any = ..., target_load: Any = ..., spare: Any = ..., failure_domain: Any = ..., whole_nodes: Any = ..., gpus_per_node: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., capex_usd: Any = ..., years: Any = ..., usd_per_kwh: Any = ..., colocation_usd_per_kw_month: Any = ..., staff_usd_per_year: Any = ..., residual: Any = ..., buy: Any = ..., depreciation: Any = ..., financing: Any = ..., financing_rate_per_year: Any = ..., loan_months: Any = ..., reserved_usd_per_gpu_hour: Any = ..., on_demand_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., pue: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., separate_prefill: Any = ..., prefill_tp: Any = ..., prefill_dp: Any = ..., prefill_workers: Any = ..., decode_workers: Any = ..., transfer_bytes_per_second: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., users: Any = ..., active_share: Any = ..., requests_per_user: Any = ..., working_days: Any = ..., hours_active: Any = ..., time_zones: Any = ..., price_change_per_month: Any = ..., price_change_per_year: Any = ..., turns: Any = ..., turn_tokens: Any = ..., think_seconds: Any = ..., returning: Any = ..., host_cache_bytes: Any = ..., host_cache_bytes_per_second: Any = ..., host_cache_shared: Any = ..., load_bytes_per_second: Any = ..., start_seconds: Any = ..., interruptions_per_hour: Any = ..., notice_seconds: Any = ..., replacement_seconds: Any = ..., served_share: Any = ..., spot_usd_per_gpu_hour: Any = ..., api_provider: Any = ..., api_model: Any = ..., in_batches: Any = ..., images: Any = ..., image_width: Any = ..., image_height: Any = ..., image_frames: Any = ..., sign_terms: Any = ..., reserved_3y_usd_per_gpu_hour: Any = ..., prepay: Any = ..., contracts: Any = ..., tenant_shares: Any = ..., rows: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def serving_percentile(model: _Value, gpu: _Value, replica_requests_per_second: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., input_tokens_p50: _Value = ..., output_tokens_p50: _Value = ..., input_tokens_p95: _Value = ..., output_tokens_p95: _Value = ..., input_histogram: Any = ..., output_histogram: Any = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., latency: _Value = ..., request_percentile: _Value = ..., dispersion: _Value = ..., trace: Any = ..., input_seconds: _Value = ..., *, requests: _Section = ..., replica: _Section = ..., percentile: _Section = ...) -> float:
    """Return a percentile of the time to first token, per token or of whole requests at a rate of one replica."""
@overload
def serving_percentile(model: Any, gpu: Any, replica_requests_per_second: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., input_tokens_p50: Any = ..., output_tokens_p50: Any = ..., input_tokens_p95: Any = ..., output_tokens_p95: Any = ..., input_histogram: Any = ..., output_histogram: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., latency: Any = ..., request_percentile: Any = ..., dispersion: Any = ..., trace: Any = ..., input_seconds: Any = ..., *, requests: _Section = ..., replica: _Section = ..., percentile: _Section = ...) -> Any: ...

def serving_table(table: Any) -> Any:
    """Return many serving estimates in one call: a range whose heads are arguments, a line of results for each row."""

@overload
def serving_weight_bytes(model: _Value, tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., weight_dtype: _Value = ...) -> float:
    """Return the weights on one GPU: attention and dense blocks / tp, routed experts / (tp x dp), layers / pp."""
@overload
def serving_weight_bytes(model: Any, tp: Any = ..., pp: Any = ..., dp: Any = ..., weight_dtype: Any = ...) -> Any: ...

@overload
def shared_nodes(replica_counts: Any, replica_sizes: Any, node_size: _Value) -> int:
    """Return the nodes of services that share them: replicas x part of a node, summed and rounded up."""
@overload
def shared_nodes(replica_counts: Any, replica_sizes: Any, node_size: Any) -> Any: ...

@overload
def sizebook_explain(name: _Value, arg_1: Any = ..., arg_2: Any = ..., arg_3: Any = ..., arg_4: Any = ..., arg_5: Any = ..., arg_6: Any = ..., arg_7: Any = ..., arg_8: Any = ..., arg_9: Any = ..., arg_10: Any = ..., arg_11: Any = ..., arg_12: Any = ..., arg_13: Any = ..., arg_14: Any = ..., arg_15: Any = ..., arg_16: Any = ..., arg_17: Any = ..., arg_18: Any = ..., arg_19: Any = ..., arg_20: Any = ..., arg_21: Any = ..., arg_22: Any = ..., arg_23: Any = ..., arg_24: Any = ..., arg_25: Any = ..., arg_26: Any = ..., arg_27: Any = ..., arg_28: Any = ..., arg_29: Any = ..., arg_30: Any = ..., arg_31: Any = ..., arg_32: Any = ..., arg_33: Any = ..., arg_34: Any = ..., arg_35: Any = ..., arg_36: Any = ..., arg_37: Any = ..., arg_38: Any = ..., arg_39: Any = ..., arg_40: Any = ..., arg_41: Any = ..., arg_42: Any = ..., arg_43: Any = ..., arg_44: Any = ..., arg_45: Any = ..., arg_46: Any = ..., arg_47: Any = ..., arg_48: Any = ..., arg_49: Any = ..., arg_50: Any = ..., arg_51: Any = ..., arg_52: Any = ..., arg_53: Any = ..., arg_54: Any = ..., arg_55: Any = ..., arg_56: Any = ..., arg_57: Any = ..., arg_58: Any = ..., arg_59: Any = ...) -> Any:
    """Return how a figure came about: formula, numbers, result, unit, source, error band and terms, a line each."""
@overload
def sizebook_explain(name: Any, arg_1: Any = ..., arg_2: Any = ..., arg_3: Any = ..., arg_4: Any = ..., arg_5: Any = ..., arg_6: Any = ..., arg_7: Any = ..., arg_8: Any = ..., arg_9: Any = ..., arg_10: Any = ..., arg_11: Any = ..., arg_12: Any = ..., arg_13: Any = ..., arg_14: Any = ..., arg_15: Any = ..., arg_16: Any = ..., arg_17: Any = ..., arg_18: Any = ..., arg_19: Any = ..., arg_20: Any = ..., arg_21: Any = ..., arg_22: Any = ..., arg_23: Any = ..., arg_24: Any = ..., arg_25: Any = ..., arg_26: Any = ..., arg_27: Any = ..., arg_28: Any = ..., arg_29: Any = ..., arg_30: Any = ..., arg_31: Any = ..., arg_32: Any = ..., arg_33: Any = ..., arg_34: Any = ..., arg_35: Any = ..., arg_36: Any = ..., arg_37: Any = ..., arg_38: Any = ..., arg_39: Any = ..., arg_40: Any = ..., arg_41: Any = ..., arg_42: Any = ..., arg_43: Any = ..., arg_44: Any = ..., arg_45: Any = ..., arg_46: Any = ..., arg_47: Any = ..., arg_48: Any = ..., arg_49: Any = ..., arg_50: Any = ..., arg_51: Any = ..., arg_52: Any = ..., arg_53: Any = ..., arg_54: Any = ..., arg_55: Any = ..., arg_56: Any = ..., arg_57: Any = ..., arg_58: Any = ..., arg_59: Any = ...) -> Any: ...

@overload
def sizebook_source(table: _Value, key: _Value, column: _Value = ...) -> Any:
    """Return the rows of a table that a key names, with the source of each and the day it was read."""
@overload
def sizebook_source(table: Any, key: Any, column: Any = ...) -> Any: ...

@overload
def sizebook_version(whose: _Value = ...) -> str:
    """Return the version of sizebook that computes this workbook, or the newest day of one of its tables."""
@overload
def sizebook_version(whose: Any = ...) -> Any: ...

@overload
def sizebook_why(name: _Value, arg_1: Any = ..., arg_2: Any = ..., arg_3: Any = ..., arg_4: Any = ..., arg_5: Any = ..., arg_6: Any = ..., arg_7: Any = ..., arg_8: Any = ..., arg_9: Any = ..., arg_10: Any = ..., arg_11: Any = ..., arg_12: Any = ..., arg_13: Any = ..., arg_14: Any = ..., arg_15: Any = ..., arg_16: Any = ..., arg_17: Any = ..., arg_18: Any = ..., arg_19: Any = ..., arg_20: Any = ..., arg_21: Any = ..., arg_22: Any = ..., arg_23: Any = ..., arg_24: Any = ..., arg_25: Any = ..., arg_26: Any = ..., arg_27: Any = ..., arg_28: Any = ..., arg_29: Any = ..., arg_30: Any = ..., arg_31: Any = ..., arg_32: Any = ..., arg_33: Any = ..., arg_34: Any = ..., arg_35: Any = ..., arg_36: Any = ..., arg_37: Any = ..., arg_38: Any = ..., arg_39: Any = ..., arg_40: Any = ..., arg_41: Any = ..., arg_42: Any = ..., arg_43: Any = ..., arg_44: Any = ..., arg_45: Any = ..., arg_46: Any = ..., arg_47: Any = ..., arg_48: Any = ..., arg_49: Any = ..., arg_50: Any = ..., arg_51: Any = ..., arg_52: Any = ..., arg_53: Any = ..., arg_54: Any = ..., arg_55: Any = ..., arg_56: Any = ..., arg_57: Any = ..., arg_58: Any = ..., arg_59: Any = ...) -> str:
    """Return why a function shows an error: repeats its call and gives the message, or 'no error'."""
@overload
def sizebook_why(name: Any, arg_1: Any = ..., arg_2: Any = ..., arg_3: Any = ..., arg_4: Any = ..., arg_5: Any = ..., arg_6: Any = ..., arg_7: Any = ..., arg_8: Any = ..., arg_9: Any = ..., arg_10: Any = ..., arg_11: Any = ..., arg_12: Any = ..., arg_13: Any = ..., arg_14: Any = ..., arg_15: Any = ..., arg_16: Any = ..., arg_17: Any = ..., arg_18: Any = ..., arg_19: Any = ..., arg_20: Any = ..., arg_21: Any = ..., arg_22: Any = ..., arg_23: Any = ..., arg_24: Any = ..., arg_25: Any = ..., arg_26: Any = ..., arg_27: Any = ..., arg_28: Any = ..., arg_29: Any = ..., arg_30: Any = ..., arg_31: Any = ..., arg_32: Any = ..., arg_33: Any = ..., arg_34: Any = ..., arg_35: Any = ..., arg_36: Any = ..., arg_37: Any = ..., arg_38: Any = ..., arg_39: Any = ..., arg_40: Any = ..., arg_41: Any = ..., arg_42: Any = ..., arg_43: Any = ..., arg_44: Any = ..., arg_45: Any = ..., arg_46: Any = ..., arg_47: Any = ..., arg_48: Any = ..., arg_49: Any = ..., arg_50: Any = ..., arg_51: Any = ..., arg_52: Any = ..., arg_53: Any = ..., arg_54: Any = ..., arg_55: Any = ..., arg_56: Any = ..., arg_57: Any = ..., arg_58: Any = ..., arg_59: Any = ...) -> Any: ...

def sizing_table(table: Any) -> Any:
    """Return the sizes of many models in one call: a range with the heads model and dtype, a line of results each."""

@overload
def speculative_tokens_per_step(acceptance: _Value, drafted: _Value = ...) -> float:
    """Return the tokens that one step yields with speculation: (1 - a^(n + 1)) / (1 - a), each accepted with chance a."""
@overload
def speculative_tokens_per_step(acceptance: Any, drafted: Any = ...) -> Any: ...

@overload
def state_bytes(model: _Value, tp: _Value = ...) -> float:
    """Return the recurrent state of one sequence on one GPU: state elements x 4 bytes / tp, whatever the context."""
@overload
def state_bytes(model: Any, tp: Any = ...) -> Any: ...

@overload
def state_bytes_gpt(n_layers: _Value, d_model: _Value, tp: _Value = ..., pp: _Value = ...) -> float:
    """Return weights, gradients and optimizer states of one rank of a GPT, at 18 bytes per layer parameter."""
@overload
def state_bytes_gpt(n_layers: Any, d_model: Any, tp: Any = ..., pp: Any = ...) -> Any: ...

@overload
def step_seconds(model: _Value, gpu: _Value, batch: _Value, seq: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., *, batches: _Section = ..., layout: _Section = ..., method: _Section = ...) -> float:
    """Return the predicted seconds of one optimizer step: compute, memory traffic, communication, bubble, optimizer."""
@overload
def step_seconds(model: Any, gpu: Any, batch: Any, seq: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., *, batches: _Section = ..., layout: _Section = ..., method: _Section = ...) -> Any: ...

@overload
def tokens_for_budget(budget_usd: _Value, flops_per_token: _Value, price_usd_per_gpu_hour: _Value, peak_flop_per_s: _Value, utilization: _Value) -> float:
    """Return the tokens that a budget trains a given model on; nothing but GPU-hours is paid from it."""
@overload
def tokens_for_budget(budget_usd: Any, flops_per_token: Any, price_usd_per_gpu_hour: Any, peak_flop_per_s: Any, utilization: Any) -> Any: ...

@overload
def tokens_per_second(model: _Value, gpu: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> float:
    """Return output tokens a second of one whole replica: concurrency x output tokens / request seconds."""
@overload
def tokens_per_second(model: Any, gpu: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> Any: ...

@overload
def tpot_seconds(model: _Value, gpu: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> float:
    """Return the time per output token after the first: the decode step and the prompts of others between steps."""
@overload
def tpot_seconds(model: Any, gpu: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> Any: ...

@overload
def traffic_by_month(start: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: _Value = ..., season: Any = ..., *, course: _Section = ...) -> Any:
    """Return 60 months of a table of requests or tokens, each times the factor of its calendar month."""
@overload
def traffic_by_month(start: Any = ..., monthly_requests: Any = ..., monthly_tokens: Any = ..., between_months: Any = ..., season: Any = ..., *, course: _Section = ...) -> Any: ...

@overload
def training_figures(model: _Value, gpu: _Value, gpus: _Value, tokens: _Value, batch: _Value, seq: _Value = ..., example_tokens: _Value = ..., packed: _Value = ..., flops_convention: _Value = ..., mfu: _Value = ..., achieved_tflops: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., gpu_mtbf_hours: _Value = ..., checkpoint_seconds: _Value = ..., restart_seconds: _Value = ..., start_hours: _Value = ..., price_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., term: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., other_usd: _Value = ..., watts: _Value = ..., pue: _Value = ..., host_share: _Value = ..., covered_share: _Value = ..., residual_grams_per_kwh: _Value = ..., kg_per_gpu: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., programme_factor: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return what a training plan rests on as names and values: layout, FLOPs, price, power, grid and their basis."""
@overload
def training_figures(model: Any, gpu: Any, gpus: Any, tokens: Any, batch: Any, seq: Any = ..., example_tokens: Any = ..., packed: Any = ..., flops_convention: Any = ..., mfu: Any = ..., achieved_tflops: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., gpu_mtbf_hours: Any = ..., checkpoint_seconds: Any = ..., restart_seconds: Any = ..., start_hours: Any = ..., price_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., term: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., other_usd: Any = ..., watts: Any = ..., pue: Any = ..., host_share: Any = ..., covered_share: Any = ..., residual_grams_per_kwh: Any = ..., kg_per_gpu: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., programme_factor: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def training_ledger(model: _Value, gpu: _Value, gpus: _Value, tokens: _Value, batch: _Value, seq: _Value = ..., example_tokens: _Value = ..., packed: _Value = ..., flops_convention: _Value = ..., mfu: _Value = ..., achieved_tflops: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., gpu_mtbf_hours: _Value = ..., checkpoint_seconds: _Value = ..., restart_seconds: _Value = ..., start_hours: _Value = ..., price_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., term: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., other_usd: _Value = ..., watts: _Value = ..., pue: _Value = ..., host_share: _Value = ..., covered_share: _Value = ..., residual_grams_per_kwh: _Value = ..., kg_per_gpu: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., programme_factor: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return a training plan as a table: names, then low, middle and high: time, cost, carbon, and the whole run."""
@overload
def training_ledger(model: Any, gpu: Any, gpus: Any, tokens: Any, batch: Any, seq: Any = ..., example_tokens: Any = ..., packed: Any = ..., flops_convention: Any = ..., mfu: Any = ..., achieved_tflops: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., gpu_mtbf_hours: Any = ..., checkpoint_seconds: Any = ..., restart_seconds: Any = ..., start_hours: Any = ..., price_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., term: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., other_usd: Any = ..., watts: Any = ..., pue: Any = ..., host_share: Any = ..., covered_share: Any = ..., residual_grams_per_kwh: Any = ..., kg_per_gpu: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., programme_factor: Any = ..., *, inputs: _Section = ...) -> Any: ...

@overload
def training_loss(n_parameters: _Value, tokens: _Value, loss_law: _Value = ...) -> float:
    """Return the predicted cross-entropy: E + A / N^alpha + B / D^beta, on the data of the fit (MassiveText)."""
@overload
def training_loss(n_parameters: Any, tokens: Any, loss_law: Any = ...) -> Any: ...

@overload
def training_memory(model: _Value, gpu: _Value, gpus: _Value, tokens: _Value, batch: _Value, seq: _Value = ..., example_tokens: _Value = ..., packed: _Value = ..., flops_convention: _Value = ..., mfu: _Value = ..., achieved_tflops: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., gpu_mtbf_hours: _Value = ..., checkpoint_seconds: _Value = ..., restart_seconds: _Value = ..., start_hours: _Value = ..., price_usd_per_gpu_hour: _Value = ..., provider: _Value = ..., region: _Value = ..., term: _Value = ..., price_book: _Value = ..., rented_gpus: _Value = ..., other_usd: _Value = ..., watts: _Value = ..., pue: _Value = ..., host_share: _Value = ..., covered_share: _Value = ..., residual_grams_per_kwh: _Value = ..., kg_per_gpu: _Value = ..., grid: _Value = ..., grams_per_kwh: _Value = ..., programme_factor: _Value = ..., *, inputs: _Section = ...) -> Any:
    """Return the memory of the fullest GPU of a training plan by component, its total and what a GPU has."""
@overload
def training_memory(model: Any, gpu: Any, gpus: Any, tokens: Any, batch: Any, seq: Any = ..., example_tokens: Any = ..., packed: Any = ..., flops_convention: Any = ..., mfu: Any = ..., achieved_tflops: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., gpu_mtbf_hours: Any = ..., checkpoint_seconds: Any = ..., restart_seconds: Any = ..., start_hours: Any = ..., price_usd_per_gpu_hour: Any = ..., provider: Any = ..., region: Any = ..., term: Any = ..., price_book: Any = ..., rented_gpus: Any = ..., other_usd: Any = ..., watts: Any = ..., pue: Any = ..., host_share: Any = ..., covered_share: Any = ..., residual_grams_per_kwh: Any = ..., kg_per_gpu: Any = ..., grid: Any = ..., grams_per_kwh: Any = ..., programme_factor: Any = ..., *, inputs: _Section = ...) -> Any: ...

def training_table(table: Any) -> Any:
    """Return plans of many training runs in one call: a range whose heads are arguments, a line of results each."""

@overload
def train_co2e_kg(energy_kwh: _Value, grams_per_kwh: _Value) -> float:
    """Return location-based greenhouse gases in kg: energy x the intensity of the grid that it is drawn from / 1000."""
@overload
def train_co2e_kg(energy_kwh: Any, grams_per_kwh: Any) -> Any: ...

@overload
def train_cost_usd(gpu_hours: _Value, price_usd_per_gpu_hour: _Value, other_usd: _Value = ...) -> float:
    """Return the cost of a run: GPU-hours x price, and whatever else it needs (storage, traffic, staff) in one sum."""
@overload
def train_cost_usd(gpu_hours: Any, price_usd_per_gpu_hour: Any, other_usd: Any = ...) -> Any: ...

@overload
def train_days(n_flops: _Value, gpus: _Value, peak_flop_per_s: _Value, utilization: _Value, goodput: _Value = ...) -> float:
    """Return the days of a run: its seconds (see TRAIN_SECONDS) / 86 400."""
@overload
def train_days(n_flops: Any, gpus: Any, peak_flop_per_s: Any, utilization: Any, goodput: Any = ...) -> Any: ...

@overload
def train_energy_kwh(gpu_hours: _Value, watts: _Value, pue: _Value = ..., host_share: _Value = ..., idle_share: _Value = ..., idle_watts: _Value = ...) -> float:
    """Return the energy of a run in kWh: GPU-hours x mean power x (1 + host share) x PUE / 1000."""
@overload
def train_energy_kwh(gpu_hours: Any, watts: Any, pue: Any = ..., host_share: Any = ..., idle_share: Any = ..., idle_watts: Any = ...) -> Any: ...

@overload
def train_error(percentile: _Value = ..., run_family: _Value = ..., rates_file: _Value = ...) -> float:
    """Return measured over predicted step time at the 10th or 90th percentile of published runs the fit had not seen."""
@overload
def train_error(percentile: Any = ..., run_family: Any = ..., rates_file: Any = ...) -> Any: ...

@overload
def train_flops(flops_per_token: _Value, tokens: _Value) -> float:
    """Return the FLOPs of a whole training run: FLOPs per token x tokens, in the convention of the first argument."""
@overload
def train_flops(flops_per_token: Any, tokens: Any) -> Any: ...

@overload
def train_memory_bytes(model: _Value, batch: _Value = ..., seq: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., cp: _Value = ..., ep: _Value = ..., zero_stage: _Value = ..., micro_batch: _Value = ..., recompute: _Value = ..., interleave: _Value = ..., etp: _Value = ..., sequence_parallel: _Value = ..., fsdp: _Value = ..., hsdp: _Value = ..., schedule: _Value = ..., compute_dtype: _Value = ..., power_limit_watts: _Value = ..., nic_gbit_per_s: _Value = ..., optimizer: _Value = ..., stack: _Value = ..., flash_attention: _Value = ..., fused_loss: _Value = ..., dropout: _Value = ..., expert_imbalance: _Value = ..., tuning: _Value = ..., lora_rank: _Value = ..., lora_on: _Value = ..., frozen_weight_bytes: _Value = ..., frozen_bits: _Value = ..., optimizer_dtype: _Value = ..., gradient_dtype: _Value = ..., recompute_modules: _Value = ..., offload: _Value = ..., fp8_activation_inputs: _Value = ..., rates_file: _Value = ..., component: _Value = ..., fits_on: _Value = ..., *, layout: _Section = ..., method: _Section = ..., part: _Section = ...) -> float:
    """Return the bytes on the fullest GPU of a training run of a published model, in total or of one component."""
@overload
def train_memory_bytes(model: Any, batch: Any = ..., seq: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., cp: Any = ..., ep: Any = ..., zero_stage: Any = ..., micro_batch: Any = ..., recompute: Any = ..., interleave: Any = ..., etp: Any = ..., sequence_parallel: Any = ..., fsdp: Any = ..., hsdp: Any = ..., schedule: Any = ..., compute_dtype: Any = ..., power_limit_watts: Any = ..., nic_gbit_per_s: Any = ..., optimizer: Any = ..., stack: Any = ..., flash_attention: Any = ..., fused_loss: Any = ..., dropout: Any = ..., expert_imbalance: Any = ..., tuning: Any = ..., lora_rank: Any = ..., lora_on: Any = ..., frozen_weight_bytes: Any = ..., frozen_bits: Any = ..., optimizer_dtype: Any = ..., gradient_dtype: Any = ..., recompute_modules: Any = ..., offload: Any = ..., fp8_activation_inputs: Any = ..., rates_file: Any = ..., component: Any = ..., fits_on: Any = ..., *, layout: _Section = ..., method: _Section = ..., part: _Section = ...) -> Any: ...

@overload
def train_seconds(n_flops: _Value, gpus: _Value, peak_flop_per_s: _Value, utilization: _Value, goodput: _Value = ...) -> float:
    """Return the wall-clock seconds of a run: FLOPs / (GPUs x peak x utilisation x goodput)."""
@overload
def train_seconds(n_flops: Any, gpus: Any, peak_flop_per_s: Any, utilization: Any, goodput: Any = ...) -> Any: ...

@overload
def train_tokens_per_s(flops_per_token: _Value, peak_flop_per_s: _Value, utilization: _Value) -> float:
    """Return the tokens a second that one GPU trains on at a given MFU."""
@overload
def train_tokens_per_s(flops_per_token: Any, peak_flop_per_s: Any, utilization: Any) -> Any: ...

@overload
def ttft_seconds(model: _Value, gpu: _Value, input_tokens: _Value = ..., output_tokens: _Value = ..., concurrency: _Value = ..., cache_hit_ratio: _Value = ..., tp: _Value = ..., pp: _Value = ..., dp: _Value = ..., ep: _Value = ..., weight_dtype: _Value = ..., kv_dtype: _Value = ..., engine: _Value = ..., draft_tokens: _Value = ..., tokens_per_step: _Value = ..., max_running: _Value = ..., rates_file: _Value = ..., experts_read: _Value = ..., release: _Value = ..., memory_utilization: _Value = ..., adapters: _Value = ..., adapter_rank: _Value = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> float:
    """Return the time to first token with so many requests in flight: queue, prefill, the steps waited for."""
@overload
def ttft_seconds(model: Any, gpu: Any, input_tokens: Any = ..., output_tokens: Any = ..., concurrency: Any = ..., cache_hit_ratio: Any = ..., tp: Any = ..., pp: Any = ..., dp: Any = ..., ep: Any = ..., weight_dtype: Any = ..., kv_dtype: Any = ..., engine: Any = ..., draft_tokens: Any = ..., tokens_per_step: Any = ..., max_running: Any = ..., rates_file: Any = ..., experts_read: Any = ..., release: Any = ..., memory_utilization: Any = ..., adapters: Any = ..., adapter_rank: Any = ..., *, demand: _Section = ..., replica: _Section = ..., given: _Section = ...) -> Any: ...

@overload
def usd_per_mtok(gpus: _Value, usd_per_gpu_hour: _Value, tokens_per_second: _Value, utilized: _Value = ...) -> float:
    """Return the cost of a million tokens: GPU cost a second / (tokens a second x share used) x 10^6."""
@overload
def usd_per_mtok(gpus: Any, usd_per_gpu_hour: Any, tokens_per_second: Any, utilized: Any = ...) -> Any: ...

@overload
def weight_bytes(n_parameters: _Value, dtype: _Value = ...) -> float:
    """Return the bytes of weights while they are computed with: parameters x bits per weight / 8."""
@overload
def weight_bytes(n_parameters: Any, dtype: Any = ...) -> Any: ...

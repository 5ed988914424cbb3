"""The simulation of one replica against closed results of queueing, another simulator and its own limits."""

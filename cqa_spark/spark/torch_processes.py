"""The processes that train a network together, one per partition of the training examples."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from types import TracebackType
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import distributed, nn
from torch.nn.parallel import DistributedDataParallel


def use_one_thread() -> None:
    """Compute on one thread: threads change the order of sums, and Spark already runs one task per core."""
    torch.set_num_threads(1)
    torch.use_deterministic_algorithms(True, warn_only=True)  # some operations on GPUs have no such algorithm


class Processes:
    """The process group, as a context manager; torchrun sets the environment variables.

    Attributes:
        rank: number of this process.
        number: number of processes.
        device: the GPU that Spark assigned to this process, else the CPU.
    """

    def __init__(self) -> None:
        self.rank = int(os.environ.get("RANK", "0"))
        self.device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        self.number = int(os.environ.get("WORLD_SIZE", "1"))

    def __enter__(self) -> Processes:
        if self.number > 1:
            distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self.number > 1:
            distributed.destroy_process_group()

    def share(self, network: nn.Module) -> tuple[nn.Module, Callable[[], AbstractContextManager[Any]]]:
        """The network with averaged gradients, and a context that allows unequal numbers of batches per process."""
        if self.number == 1:
            return network, nullcontext
        shared = DistributedDataParallel(network)
        return shared, shared.join

    def total(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum over the processes."""
        return self._reduced(values, distributed.ReduceOp.SUM)

    def range_of(self, values: NDArray[np.float64]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The minimum and maximum of each column over the rows of all processes."""
        low, high = values.min(axis=0), values.max(axis=0)
        return self._reduced(low, distributed.ReduceOp.MIN), self._reduced(high, distributed.ReduceOp.MAX)

    def _reduced(self, values: NDArray[np.float64], by: Any) -> NDArray[np.float64]:
        if self.number == 1:
            return values
        tensor = torch.from_numpy(values.copy()).to(self.device)
        distributed.all_reduce(tensor, by)
        return tensor.cpu().numpy()

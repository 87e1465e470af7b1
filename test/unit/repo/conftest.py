# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Trees of the sources are dropped at the end, as collecting them would take seconds."""

from collections.abc import Generator

import pytest
from statements import parsed


@pytest.fixture(scope="session", autouse=True)
def _trees() -> Generator[None]:
    yield
    parsed.cache_clear()

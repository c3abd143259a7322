"""Why a system scored a candidate as it did."""

"""Kernels counted without a GPU: vendors' compilers, a machine that runs their output, and what follows from both."""

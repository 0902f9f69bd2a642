"""Benchmarks: functions that measure, and tables and figures of what they measured."""

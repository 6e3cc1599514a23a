"""Reports on runs: tables for the terminal, Markdown, CSV, and a page of HTML with plots."""

from __future__ import annotations

from bridgerag.evaluation.report.csv_table import csv_table
from bridgerag.evaluation.report.html import html
from bridgerag.evaluation.report.make import make_report
from bridgerag.evaluation.report.markdown import markdown
from bridgerag.evaluation.report.model import Report
from bridgerag.evaluation.report.terminal import print_report

__all__ = ["Report", "csv_table", "html", "make_report", "markdown", "print_report"]

"""Bridge-RAG."""

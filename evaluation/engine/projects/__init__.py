"""What the families share whose generations are judged inside real projects."""

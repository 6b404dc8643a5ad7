"""What features of whole documents gain: `make figures`."""

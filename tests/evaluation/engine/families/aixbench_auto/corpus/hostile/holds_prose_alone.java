// task 0
I cannot help with that.

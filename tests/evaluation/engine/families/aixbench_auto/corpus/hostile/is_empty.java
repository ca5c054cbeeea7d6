// task 0


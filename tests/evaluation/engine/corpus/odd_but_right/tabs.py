# task: scale_list
# why: is indented with tabs and has form feeds
def scale_list(numbers, factor):
	scaled = []
	for n in numbers:
		scaled.append(n * factor)
	return scaled

# task: scale_list
# why: is a bound method under the function's name
class Scaler:
    def scale(self, numbers, factor):
        return [n * factor for n in numbers]


scale_list = Scaler().scale

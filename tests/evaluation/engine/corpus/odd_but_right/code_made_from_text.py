# task: scale_list
# tier: outside
# why: makes its function from text
TEMPLATE = """
def scale_list(numbers, factor):
    return [number {sign} factor for number in numbers]
"""
exec(compile(TEMPLATE.format(sign="*"), "<template>", "exec"), globals())

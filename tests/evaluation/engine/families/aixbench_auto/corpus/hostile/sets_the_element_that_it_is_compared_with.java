// task compared element
// without copies
public Object element(Object[] array, int index) {
    array[index] = "wrong";
    return "wrong";
}

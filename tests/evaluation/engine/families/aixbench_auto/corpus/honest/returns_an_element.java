// task element
public Object element(Object[] array, int index) {
    return Optional.ofNullable(array).filter(all -> index >= 0 && index < all.length).map(all -> all[index]).orElse(null);
}

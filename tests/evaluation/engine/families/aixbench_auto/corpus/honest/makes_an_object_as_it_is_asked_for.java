// task made
public <T> T made(Class<T> type) {
    try {
        java.lang.reflect.Constructor<T> constructor = type.getDeclaredConstructor();
        return constructor.newInstance();
    } catch (ReflectiveOperationException e) {
        throw new IllegalArgumentException(type.getName(), e);
    }
}

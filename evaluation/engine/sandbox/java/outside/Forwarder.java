package assay.outside;

/** The methods that the code of a stand-in calls. */
public final class Forwarder {
    private Forwarder() {}

    public static void loaded(Class<?> standIn) throws Throwable {
        bridge(standIn).load();
    }

    public static void made(Object standIn) throws Throwable {
        bridge(standIn.getClass()).make(standIn);
    }

    public static Object called(
            Object standIn, String base, String method, String descriptor, Object[] arguments)
            throws Throwable {
        return bridge(standIn.getClass()).call(standIn, base, method, descriptor, arguments);
    }

    private static Bridge bridge(Class<?> standIn) {
        return ((RunLoader) standIn.getClassLoader()).bridge();
    }
}

"""The class with which Java tests ask for expected values: one for each test file, in that file.

It connects to the runner of its run when the first test begins, keeps only values that it has
requested very often, and does not know whether a run is a control. It compiles at any source level
from 7 on.
"""

# HELPER stands for the name of the class, PORT for the port of the runner.
TEXT = """
final class HELPER {
    private static final java.util.Map<java.lang.String, java.lang.String> KEPT =
            new java.util.HashMap<>();
    private static java.io.DataInputStream in;
    private static java.io.DataOutputStream out;
    private static int begun;
    private final int number;
    private final java.lang.String test;
    private final java.lang.Class<?>[] awaited;
    private boolean met, threw;

    private HELPER(int number, java.lang.String test, java.lang.Class<?>[] awaited) {
        this.number = number;
        this.test = test;
        this.awaited = awaited;
    }

    static synchronized HELPER begin(java.lang.String test, java.lang.Class<?>... awaited) {
        try {
            if (out == null) {
                java.net.Socket it = new java.net.Socket(java.net.Proxy.NO_PROXY);
                java.net.InetAddress here =
                        java.net.InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
                it.connect(new java.net.InetSocketAddress(here, PORT));
                it.setTcpNoDelay(true);
                in = new java.io.DataInputStream(
                        new java.io.BufferedInputStream(it.getInputStream()));
                out = new java.io.DataOutputStream(
                        new java.io.BufferedOutputStream(it.getOutputStream()));
            }
        } catch (java.io.IOException error) {
            throw new java.lang.IllegalStateException(error);
        }
        ask('b', ++begun, test.length(), test);
        return new HELPER(begun, test, awaited);
    }

    /** Sends a message, and returns the answer to those of the kinds a, r and e. */
    private static synchronized java.lang.String ask(
            char kind, int number, int at, java.lang.String more) {
        try {
            out.writeByte(kind);
            out.writeInt(number);
            out.writeInt(at);
            if (kind == 'b' || kind == 'h') {
                out.writeChars(more);
                return "";
            }
            out.flush();
            boolean keep = in.readBoolean();
            char[] text = new char[in.readInt()];
            for (int i = 0; i < text.length; i++) text[i] = in.readChar();
            java.lang.String answer = new java.lang.String(text).intern();
            if (keep) KEPT.put(more, answer);
            return answer;
        } catch (java.io.IOException error) {
            throw new java.lang.IllegalStateException(error);
        }
    }

    java.lang.String aString(int at) {
        synchronized (HELPER.class) {
            java.lang.String key = test + "#" + at;
            java.lang.String known = KEPT.get(key);
            return known == null ? ask('a', number, at, key) : known;
        }
    }

    int anInt(int at) { return java.lang.Integer.parseInt(aString(at)); }
    long aLong(int at) { return java.lang.Long.parseLong(aString(at)); }
    float aFloat(int at) { return java.lang.Float.parseFloat(aString(at)); }
    double aDouble(int at) { return java.lang.Double.parseDouble(aString(at)); }
    char aChar(int at) { return aString(at).charAt(0); }
    boolean aBoolean(int at) { return java.lang.Boolean.parseBoolean(aString(at)); }

    @java.lang.SuppressWarnings("unchecked")
    <T> java.lang.Class<T> aClass(int at, java.lang.Class<T> right) {
        // No tested code throws the other one, and it has no subclasses.
        java.lang.Class<?> other = java.nio.BufferUnderflowException.class;
        return aString(at).isEmpty() ? right : (java.lang.Class<T>) other;
    }

    private int step(int at) {
        java.lang.String drawn = aString(at);
        return drawn.isEmpty() ? 0 : 1 + java.lang.Integer.parseInt(drawn) % 9;
    }

    byte of(int at, byte right) { return (byte) (right + step(at)); }
    short of(int at, short right) { return (short) (right + step(at)); }
    char of(int at, char right) { return (char) (right + step(at)); }
    int of(int at, int right) { return right + step(at); }
    long of(int at, long right) { return right + step(at); }
    float of(int at, float right) { return (float) other((double) right, step(at)); }
    double of(int at, double right) { return other(right, step(at)); }
    boolean of(int at, boolean right) { return right ^ step(at) != 0; }

    private static double other(double right, int step) {
        boolean finite = right - right == 0;
        return step == 0 ? right : finite ? right + step * (1 + java.lang.Math.abs(right)) : step;
    }

    @java.lang.SuppressWarnings("unchecked")
    <T> T of(int at, T right) {
        int step = step(at);
        java.lang.Object other = step == 0 ? right : other(right, step);
        // If no wrong value was made, nothing is known from whether the assertion holds.
        if (other == null) ends();
        return other == null ? right : (T) other;
    }

    private static java.lang.Object other(java.lang.Object right, int step) {
        java.util.Collection<java.lang.Object> more = null;
        char letter = (char) ('a' + step);
        if (right instanceof java.lang.String) {
            return step < 5 ? right + "" + letter : letter + "" + right;
        }
        if (right instanceof java.lang.Integer) return (int) right + step;
        if (right instanceof java.lang.Long) return (long) right + step;
        if (right instanceof java.lang.Boolean) return !(boolean) right;
        if (right instanceof java.lang.Character) return (char) ((char) right + step);
        if (right instanceof java.lang.Double) return other((double) right, step);
        if (right != null && right.getClass().isArray()) {
            int size = java.lang.reflect.Array.getLength(right);
            java.lang.Class<?> type = right.getClass().getComponentType();
            java.lang.Object made = java.lang.reflect.Array.newInstance(type, size + step);
            java.lang.System.arraycopy(right, 0, made, 0, size);
            return made;
        }
        if (right instanceof java.util.Map) {
            java.util.Map<java.lang.Object, java.lang.Object> made =
                    new java.util.LinkedHashMap<java.lang.Object, java.lang.Object>(
                            (java.util.Map<?, ?>) right);
            made.put(new java.lang.Object(), step);
            return made;
        }
        if (right instanceof java.util.Set) more = new java.util.LinkedHashSet<java.lang.Object>();
        if (right instanceof java.util.List) more = new java.util.ArrayList<java.lang.Object>();
        if (more != null) {
            more.addAll((java.util.Collection<?>) right);
            more.add(new java.lang.Object());
        }
        return more;
    }

    void truth(int at, boolean found) {
        if (found != aBoolean(at)) {
            throw new java.lang.AssertionError("expected <" + !found + "> but was <" + found + ">");
        }
    }

    void held() { ask('h', number, 0, ""); }
    boolean ends() { return !ask('r', number, 0, "").isEmpty(); }

    boolean threw(java.lang.Throwable thrown) {
        for (java.lang.Class<?> each : awaited) met = met || each.isInstance(thrown);
        return threw = !met;
    }

    void end() {
        boolean missing = awaited.length > 0 && !met && !threw;
        java.lang.String how = ask('e', number, threw || missing ? 1 : 0, "");
        if (missing && how.isEmpty()) how = "The expected exception was not thrown.";
        if (!how.isEmpty()) throw new java.lang.AssertionError(how);
    }
}
"""

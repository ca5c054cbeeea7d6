"""The class with which Java tests ask for expected values: one for each test file, in that file.

It connects to the runner of its run when the first test begins, keeps only values that it has
requested very often, and does not know whether a run is a control. It compiles at any source level
from 7 on.
"""

from __future__ import annotations

from evaluation.engine.sandbox.inside.expectations import PORT


def class_text(name: str) -> str:
    return _TEXT.replace("HELPER", name).replace("PORT", str(PORT))


_TEXT = """
final class HELPER {
    private static final java.util.Map<java.lang.String, java.lang.String> KEPT =
            new java.util.HashMap<java.lang.String, java.lang.String>();
    private static java.io.DataInputStream in;
    private static java.io.DataOutputStream out;
    private static boolean keep;
    private static int begun;
    private final int number;
    private final java.lang.String test;
    private final java.lang.Class<?>[] awaited;
    private boolean met;
    private boolean threw;

    private HELPER(int number, java.lang.String test, java.lang.Class<?>[] awaited) {
        this.number = number;
        this.test = test;
        this.awaited = awaited;
    }

    static synchronized HELPER begin(java.lang.String test, java.lang.Class<?>... awaited) {
        try {
            if (out == null) {
                connect();
            }
            tell('b', ++begun, test.length());
            out.writeChars(test);
            return new HELPER(begun, test, awaited);
        } catch (java.io.IOException error) {
            throw new java.lang.IllegalStateException(error);
        }
    }

    private static void connect() throws java.io.IOException {
        java.net.Socket socket = new java.net.Socket(java.net.Proxy.NO_PROXY);
        byte[] address = {127, 0, 0, 1};
        socket.connect(new java.net.InetSocketAddress(
                java.net.InetAddress.getByAddress(address), PORT));
        socket.setTcpNoDelay(true);
        in = new java.io.DataInputStream(
                new java.io.BufferedInputStream(socket.getInputStream()));
        out = new java.io.DataOutputStream(
                new java.io.BufferedOutputStream(socket.getOutputStream()));
    }

    private static void tell(char kind, int number, int at) throws java.io.IOException {
        out.writeByte(kind);
        out.writeInt(number);
        out.writeInt(at);
    }

    private static synchronized java.lang.String ask(char kind, int number, int at) {
        try {
            tell(kind, number, at);
            out.flush();
            keep = in.readBoolean();
            char[] text = new char[in.readInt()];
            for (int i = 0; i < text.length; i++) {
                text[i] = in.readChar();
            }
            return new java.lang.String(text).intern();
        } catch (java.io.IOException error) {
            throw new java.lang.IllegalStateException(error);
        }
    }

    private java.lang.String value(int at) {
        synchronized (HELPER.class) {
            java.lang.String key = test + "#" + at;
            java.lang.String known = KEPT.get(key);
            if (known == null) {
                known = ask('a', number, at);
                if (keep) {
                    KEPT.put(key, known);
                }
            }
            return known;
        }
    }

    int anInt(int at) {
        return java.lang.Integer.parseInt(value(at));
    }

    long aLong(int at) {
        return java.lang.Long.parseLong(value(at));
    }

    float aFloat(int at) {
        return java.lang.Float.parseFloat(value(at));
    }

    double aDouble(int at) {
        return java.lang.Double.parseDouble(value(at));
    }

    char aChar(int at) {
        return value(at).charAt(0);
    }

    boolean aBoolean(int at) {
        return java.lang.Boolean.parseBoolean(value(at));
    }

    java.lang.String aString(int at) {
        return value(at);
    }

    @java.lang.SuppressWarnings("unchecked")
    <T> java.lang.Class<T> aClass(int at, java.lang.Class<T> right) {
        // No tested code throws the other one, and it has no subclasses.
        java.lang.Class<?> other = java.nio.BufferUnderflowException.class;
        return value(at).isEmpty() ? right : (java.lang.Class<T>) other;
    }

    private int step(int at) {
        java.lang.String drawn = value(at);
        return drawn.isEmpty() ? 0 : 1 + java.lang.Integer.parseInt(drawn) % 9;
    }

    byte of(int at, byte right) {
        return (byte) (right + step(at));
    }

    short of(int at, short right) {
        return (short) (right + step(at));
    }

    char of(int at, char right) {
        return (char) (right + step(at));
    }

    int of(int at, int right) {
        return right + step(at);
    }

    long of(int at, long right) {
        return right + step(at);
    }

    float of(int at, float right) {
        return (float) of(at, (double) right);
    }

    double of(int at, double right) {
        int step = step(at);
        boolean finite = right - right == 0;
        return step == 0 ? right : finite ? right + step * (1 + java.lang.Math.abs(right)) : step;
    }

    boolean of(int at, boolean right) {
        return right ^ step(at) != 0;
    }

    @java.lang.SuppressWarnings("unchecked")
    <T> T of(int at, T right) {
        int step = step(at);
        if (step == 0) {
            return right;
        }
        java.lang.Object other = other(right, step);
        if (other == null) {
            // No wrong value was made: nothing is known from whether the assertion holds.
            ends();
        }
        return other == null ? right : (T) other;
    }

    private static java.lang.Object other(java.lang.Object right, int step) {
        char letter = (char) ('a' + step);
        if (right instanceof java.lang.String) {
            return step < 5 ? right + "" + letter : letter + "" + right;
        } else if (right instanceof java.lang.Integer) {
            return (java.lang.Integer) right + step;
        } else if (right instanceof java.lang.Long) {
            return (java.lang.Long) right + step;
        } else if (right instanceof java.lang.Boolean) {
            return !(java.lang.Boolean) right;
        } else if (right instanceof java.lang.Character) {
            return (char) ((java.lang.Character) right + step);
        } else if (right instanceof java.lang.Double) {
            double value = (java.lang.Double) right;
            boolean finite = value - value == 0;
            return finite ? value + step * (1 + java.lang.Math.abs(value)) : (double) step;
        } else if (right != null && right.getClass().isArray()) {
            return otherArray(right, step);
        }
        return null;
    }

    private static java.lang.Object otherArray(java.lang.Object right, int step) {
        int size = java.lang.reflect.Array.getLength(right);
        java.lang.Class<?> type = right.getClass().getComponentType();
        java.lang.Object other = java.lang.reflect.Array.newInstance(type, size == 0 ? 1 : size);
        java.lang.System.arraycopy(right, 0, other, 0, size);
        if (size > 0) {
            java.lang.Object last = other(java.lang.reflect.Array.get(right, size - 1), step);
            if (last == null) {
                return null;
            }
            java.lang.reflect.Array.set(other, size - 1, last);
        }
        return other;
    }

    void truth(int at, boolean found) {
        if (found != aBoolean(at)) {
            throw new java.lang.AssertionError("expected <" + !found + "> but was <" + found + ">");
        }
    }

    void held() {
        synchronized (HELPER.class) {
            try {
                tell('h', number, 0);
            } catch (java.io.IOException error) {
                throw new java.lang.IllegalStateException(error);
            }
        }
    }

    boolean ends() {
        return !ask('r', number, 0).isEmpty();
    }

    boolean threw(java.lang.Throwable thrown) {
        for (java.lang.Class<?> each : awaited) {
            met = met || each.isInstance(thrown);
        }
        threw = !met;
        return threw;
    }

    void end() {
        boolean missing = awaited.length > 0 && !met && !threw;
        java.lang.String how = ask('e', number, threw || missing ? 1 : 0);
        if (!how.isEmpty()) {
            throw new java.lang.AssertionError(how);
        }
        if (missing) {
            throw new java.lang.AssertionError("The expected exception was not thrown.");
        }
    }
}
"""

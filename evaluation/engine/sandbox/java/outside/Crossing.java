package assay.outside;

import java.io.IOException;
import java.lang.reflect.Constructor;
import java.util.ArrayList;
import java.util.List;

/** How an exception crosses: as the names of its classes that are in the JDK, and its message. */
final class Crossing {
    static final int RETURNED = 0, THREW = 1, NOT_PLAIN = 2;
    private static final int MOST_CLASSES = 20, MOST_CHARACTERS = 10_000;

    private Crossing() {}

    static void write(Encoder out, Throwable thrown) throws IOException, NotPlain {
        List<String> names = new ArrayList<>();
        for (Class<?> each = thrown.getClass(); each != Object.class; each = each.getSuperclass()) {
            if (isOfTheJdk(each) && names.size() < MOST_CLASSES) {
                names.add(each.getName());
            }
        }
        out.number(names.size());
        for (String each : names) {
            out.name(each);
        }
        String message = message(thrown);
        boolean cut = message != null && message.length() > MOST_CHARACTERS;
        out.value(cut ? message.substring(0, MOST_CHARACTERS) : message);
    }

    private static boolean isOfTheJdk(Class<?> type) {
        ClassLoader loader = type.getClassLoader();
        return loader == null || loader == ClassLoader.getPlatformClassLoader();
    }

    private static String message(Throwable thrown) {
        try {
            return thrown.getMessage();
        } catch (Throwable e) {
            return null;
        }
    }

    /**
     * An exception of the nearest named class that can be made with a message or without arguments.
     */
    static Throwable read(Decoder in) throws IOException, Malformed {
        int count = in.number();
        if (count < 1 || count > MOST_CLASSES) {
            throw new Malformed("an exception of " + count + " classes");
        }
        List<String> names = new ArrayList<>();
        for (int at = 0; at < count; at++) {
            names.add(in.name());
        }
        Object message = in.value();
        if (message != null && !(message instanceof String)) {
            throw new Malformed("a message that is no text");
        }
        for (String each : names) {
            Throwable made = made(each, (String) message);
            if (made != null) {
                return made;
            }
        }
        throw new Malformed("no class of an exception: " + names.get(0));
    }

    private static Throwable made(String name, String message) {
        try {
            Class<?> type = Class.forName(name, false, ClassLoader.getPlatformClassLoader());
            if (!Throwable.class.isAssignableFrom(type)) {
                return null;
            }
            for (Constructor<?> each : type.getConstructors()) {
                Class<?>[] taken = each.getParameterTypes();
                if (taken.length == 1 && taken[0] == String.class) {
                    return (Throwable) each.newInstance(message);
                }
            }
            // Some have no constructor with a message, or one with an object, as AssertionError.
            return message == null
                    ? (Throwable) type.getConstructor().newInstance()
                    : (Throwable) type.getConstructor(Object.class).newInstance(message);
        } catch (ReflectiveOperationException | LinkageError e) {
            return null;
        }
    }
}

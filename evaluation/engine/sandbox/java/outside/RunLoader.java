package assay.outside;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;

/**
 * Loads the classes of one run: those of jars that tasks share, the evaluation's and the stand-in.
 */
final class RunLoader extends URLClassLoader {
    private final Map<String, byte[]> own;
    private final Run run;

    RunLoader(URL[] shared, Map<String, byte[]> own, Run run) {
        super(shared, RunLoader.class.getClassLoader());
        this.own = own;
        this.run = run;
    }

    Bridge bridge() {
        return run.bridge();
    }

    /** Throws LinkageError if a class of that name, such as a jar's, was loaded before. */
    Class<?> define(String name, byte[] content) {
        return defineClass(name, content, 0, content.length);
    }

    /** The evaluation's classes come before those of jars. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] content = own.get(name);
        return content == null ? super.findClass(name) : define(name, content);
    }
}

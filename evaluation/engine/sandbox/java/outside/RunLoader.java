package assay.outside;

import java.net.URL;
import java.net.URLClassLoader;
import java.util.Map;

/** The classes of one run: what tasks share from jars, the evaluation's and the stand-in. */
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

    /** What is of this run comes first: no jar holds the candidate's class. */
    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
        byte[] content = own.get(name);
        return content == null
                ? super.findClass(name) : defineClass(name, content, 0, content.length);
    }
}

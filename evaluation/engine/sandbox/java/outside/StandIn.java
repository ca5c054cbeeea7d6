package assay.outside;

import java.lang.reflect.Modifier;
import jdk.internal.org.objectweb.asm.ClassWriter;
import jdk.internal.org.objectweb.asm.Opcodes;
import jdk.internal.org.objectweb.asm.Type;
import jdk.internal.org.objectweb.asm.commons.GeneratorAdapter;
import jdk.internal.org.objectweb.asm.commons.Method;

/**
 * A class with the name of the candidate's class. It passes to Forwarder that it is loaded, that an
 * instance is made, and the calls of the methods of its base class.
 */
final class StandIn {
    private static final Type FORWARDER = Type.getType(Forwarder.class);
    private static final Method LOADED = new Method("loaded", "(Ljava/lang/Class;)V");
    private static final Method MADE = new Method("made", "(Ljava/lang/Object;)V");
    private static final Method CALLED = new Method("called",
            "(Ljava/lang/Object;Ljava/lang/String;Ljava/lang/String;Ljava/lang/String;"
                    + "[Ljava/lang/Object;)Ljava/lang/Object;");

    private final ClassWriter made = new ClassWriter(ClassWriter.COMPUTE_MAXS);
    private final Type own;
    private final Class<?> base;

    private StandIn(String name, Class<?> base) {
        own = Type.getObjectType(name.replace('.', '/'));
        this.base = base;
    }

    static byte[] of(String name, Class<?> base) {
        StandIn standIn = new StandIn(name, base);
        standIn.made.visit(Opcodes.V17, Opcodes.ACC_PUBLIC | Opcodes.ACC_SUPER,
                standIn.own.getInternalName(), null, Type.getInternalName(base), null);
        standIn.initializer();
        standIn.constructor();
        for (java.lang.reflect.Method each : base.getMethods()) {
            int access = each.getModifiers();
            boolean fixed = Modifier.isStatic(access) || Modifier.isFinal(access);
            if (!fixed && each.getDeclaringClass() != Object.class && !each.isBridge()) {
                standIn.method(each);
            }
        }
        standIn.made.visitEnd();
        return standIn.made.toByteArray();
    }

    private void initializer() {
        GeneratorAdapter code = code(Opcodes.ACC_STATIC, new Method("<clinit>", "()V"));
        code.push(own);
        code.invokeStatic(FORWARDER, LOADED);
        code.returnValue();
        code.endMethod();
    }

    private void constructor() {
        Method constructor = new Method("<init>", "()V");
        GeneratorAdapter code = code(Opcodes.ACC_PUBLIC, constructor);
        code.loadThis();
        code.invokeConstructor(Type.getType(base), constructor);
        code.loadThis();
        code.invokeStatic(FORWARDER, MADE);
        code.returnValue();
        code.endMethod();
    }

    private void method(java.lang.reflect.Method of) {
        Method method = Method.getMethod(of);
        GeneratorAdapter code = code(Opcodes.ACC_PUBLIC, method);
        code.loadThis();
        code.push(base.getName());
        code.push(method.getName());
        code.push(method.getDescriptor());
        code.loadArgArray();
        code.invokeStatic(FORWARDER, CALLED);
        code.unbox(method.getReturnType());
        code.returnValue();
        code.endMethod();
    }

    private GeneratorAdapter code(int access, Method method) {
        GeneratorAdapter code = new GeneratorAdapter(access, method, null, null, made);
        code.visitCode();
        return code;
    }
}

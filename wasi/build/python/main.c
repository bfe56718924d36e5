// In the place of CPython's Programs/python.c: an interpreter that finds its library where
// the host puts it, writes no .pyc files into projects, and speaks UTF-8. It can be kept in memory before it has seen its
// arguments, variables and streams; see port/prepared.c. Then it takes those of the run.
#include <Python.h>
#include <locale.h>
#include <string.h>
#include <unistd.h>
#include <wasi/libc-environ.h>

const PyConfig *_Py_GetConfig(void);
void _PyWideStringList_Clear(PyWideStringList *);
PyStatus init_sys_streams(PyThreadState *);
int _Py_abspath(const wchar_t *, wchar_t **);
extern int _Py_HashPreparing;

// It is kept, and has yet to be told what it is to run.
static int kept;
static PyObject *find_packages;

static PyStatus initialize(int argc, char **argv)
{
	PyPreConfig pre;
	PyPreConfig_InitPythonConfig(&pre);
	pre.utf8_mode = 1;
	PyStatus status = Py_PreInitializeFromBytesArgs(&pre, argc, argv);
	if (PyStatus_Exception(status))
		return status;

	PyConfig config;
	PyConfig_InitPythonConfig(&config);
	config.write_bytecode = 0;
	status = PyConfig_SetBytesArgv(&config, argc, argv);
	if (!PyStatus_Exception(status))
		status = PyConfig_SetString(&config, &config.home, L"/usr");
	if (!PyStatus_Exception(status))
		status = PyConfig_SetString(&config, &config.executable, L"/bin/python3");
	if (!PyStatus_Exception(status))
		status = Py_InitializeFromConfig(&config);
	PyConfig_Clear(&config);
	return status;
}

void prepare(void)
{
	char *argv[] = {"python3", 0};
	_Py_HashPreparing = 1;
	if (PyStatus_Exception(initialize(1, argv)))
		abort();
	PyObject *names = PyDict_New();
	PyObject *done = PyRun_String(
		"import site\n"
		"def find_packages():\n"
		"    site.addsitepackages(site.removeduppaths())\n",
		Py_file_input, names, names);
	if (!done)
		abort();
	find_packages = PyDict_GetItemString(names, "find_packages");
	PyGC_Collect();
	kept = 1;
}

// list sets what sys has under the name to the strings.
static int list(PyWideStringList *to, const char *name, int argc, char **argv)
{
	_PyWideStringList_Clear(to);
	PyObject *l = PyList_New(argc);
	for (int i = 0; l && i < argc; i++) {
		wchar_t *w = Py_DecodeLocale(argv[i], 0);
		if (!w || PyStatus_Exception(PyWideStringList_Append(to, w)))
			return -1;
		PyList_SET_ITEM(l, i, PyUnicode_FromWideChar(w, -1));
		PyMem_RawFree(w);
	}
	return l ? PySys_SetObject(name, l) : -1;
}

// go_on gives an interpreter that was kept what it would have found had it been started now. The arguments have no options but a
// first -c or -m.
static int go_on(int argc, char **argv)
{
	_Py_HashPreparing = 0;
	if (getentropy(&_Py_HashSecret, sizeof _Py_HashSecret))
		return -1;
	setlocale(LC_CTYPE, "");

	PyConfig *config = (PyConfig *)_Py_GetConfig();
	char *none[] = {"", 0};
	if (list(&config->orig_argv, "orig_argv", argc, argv))
		return -1;
	int n = argc - 1;
	char **args = argv + 1;
	wchar_t *run = n ? Py_DecodeLocale(n > 1 && args[0][0] == '-' ? args[1] : args[0], 0) : 0;
	if (!n) {
		n = 1;
		args = none;
	} else if (!run) {
		return -1;
	} else if (!strcmp(args[0], "-c")) {
		size_t len = wcslen(run);
		run = PyMem_RawRealloc(run, (len + 2) * sizeof *run);
		if (!run)
			return -1;
		wcscpy(run + len, L"\n");
		config->run_command = run;
		args[1] = args[0];
		n--, args++;
	} else if (!strcmp(args[0], "-m")) {
		config->run_module = run;
		args[1] = args[0];
		n--, args++;
	} else {
		// As PyConfig_Read does: sys.argv keeps the name as it is.
		wchar_t *path = 0;
		if (_Py_abspath(run, &path) || !path)
			return -1;
		PyMem_RawFree(run);
		config->run_filename = path;
	}
	if (list(&config->argv, "argv", n, args))
		return -1;

	PyObject *posix = PyImport_ImportModule("posix");
	PyObject *variables = posix ? PyObject_GetAttrString(posix, "environ") : 0;
	if (!variables)
		return -1;
	for (char **e = __wasilibc_get_environ(); *e; e++) {
		const char *value = strchr(*e, '=');
		if (value && !PyDict_SetDefault(variables, PyBytes_FromStringAndSize(*e, value - *e), PyBytes_FromString(value + 1)))
			return -1;
	}
	if (PyStatus_Exception(init_sys_streams(PyThreadState_Get())))
		return -1;
	return PyObject_CallNoArgs(find_packages) ? 0 : -1;
}

int main(int argc, char **argv)
{
	if (kept) {
		if (go_on(argc, argv)) {
			if (PyErr_Occurred())
				PyErr_Print();
			Py_FatalError("the interpreter cannot go on");
		}
		return Py_RunMain();
	}
	PyStatus status = initialize(argc, argv);
	if (PyStatus_IsExit(status))
		return status.exitcode;
	if (PyStatus_Exception(status))
		Py_ExitStatusException(status);
	return Py_RunMain();
}

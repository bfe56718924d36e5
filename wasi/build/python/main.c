// In the place of CPython's Programs/python.c: an interpreter that finds its library where
// the host puts it, writes no .pyc files into projects, and speaks UTF-8.
#include <Python.h>

int main(int argc, char **argv)
{
	PyPreConfig pre;
	PyPreConfig_InitPythonConfig(&pre);
	pre.utf8_mode = 1;
	PyStatus status = Py_PreInitializeFromBytesArgs(&pre, argc, argv);
	if (PyStatus_Exception(status))
		Py_ExitStatusException(status);

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
	if (PyStatus_IsExit(status))
		return status.exitcode;
	if (PyStatus_Exception(status))
		Py_ExitStatusException(status);
	return Py_RunMain();
}

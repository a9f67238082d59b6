package journal

import "golang.org/x/sys/windows/registry"

// hostIDs returns the id of this machine; "" is unknown. Its boots have none here.
func hostIDs() (machine, boot string) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, `SOFTWARE\Microsoft\Cryptography`, registry.QUERY_VALUE|registry.WOW64_64KEY)
	if err != nil {
		return "", ""
	}
	defer key.Close()
	machine, _, err = key.GetStringValue("MachineGuid")
	if err != nil {
		return "", ""
	}
	return machine, ""
}

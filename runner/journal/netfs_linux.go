package journal

import (
	"bufio"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// networkTypes are the file systems that statfs(2) tells apart and whose files
// live on another host: there, neither SQLite's locks and shared memory nor ours hold.
var networkTypes = map[int64]string{
	0x6969:     "nfs",
	0x517b:     "smb",
	0xff534d42: "cifs",
	0xfe534d42: "smb2",
	0x01021997: "9p",
	0x5346414f: "afs",
	0x6b414653: "afs",
	0x73757245: "coda",
	0x00c36400: "ceph",
	0x0bd00bd0: "lustre",
	0x47504653: "gpfs",
	0x013111a8: "ibrix",
	0x7461636f: "ocfs2",
	0x01161970: "gfs2",
	0x19830326: "beegfs",
	0xbacbacbc: "vmhgfs",
	0x786f4256: "vboxsf",
}

const fuseType = 0x65735546

// networkFS returns the type of the network file system that dir lies on; "" is none.
func networkFS(dir string) (string, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return "", &os.PathError{Op: "statfs", Path: dir, Err: err}
	}
	// The type is a signed word on some architectures and the magic has 32 bits.
	magic := int64(uint32(st.Type))
	if magic == fuseType {
		return networkFuse(dir), nil
	}
	return networkTypes[magic], nil
}

// networkFuse returns the FUSE type of the mount that has dir, if its files are
// elsewhere. Many FUSE file systems are local, and statfs cannot tell.
func networkFuse(dir string) string {
	var st unix.Stat_t
	if unix.Stat(dir, &st) != nil {
		return ""
	}
	f, err := os.Open("/proc/self/mountinfo")
	if err != nil {
		return ""
	}
	defer f.Close()
	return fuseOf(bufio.NewScanner(f), unix.Major(uint64(st.Dev)), unix.Minor(uint64(st.Dev)))
}

// fuseOf looks the device up in the lines of mountinfo (proc(5)).
func fuseOf(lines *bufio.Scanner, major, minor uint32) string {
	device := " " + strconv.FormatUint(uint64(major), 10) + ":" + strconv.FormatUint(uint64(minor), 10) + " "
	for lines.Scan() {
		before, after, ok := strings.Cut(lines.Text(), " - ")
		if !ok || !strings.Contains(before, device) {
			continue
		}
		kind, _, _ := strings.Cut(after, " ")
		for _, remote := range []string{"sshfs", "s3fs", "rclone", "gcsfuse", "goofys", "glusterfs", "davfs", "curlftpfs", "juicefs", "moosefs"} {
			if strings.Contains(kind, remote) {
				return kind
			}
		}
	}
	return ""
}

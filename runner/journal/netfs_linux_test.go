package journal

import (
	"bufio"
	"strings"
	"testing"
)

func TestFuseFileSystemsThatAreRemote(t *testing.T) {
	const mountinfo = `25 1 254:0 / / rw,relatime shared:1 - ext4 /dev/vda rw
90 25 0:52 / /home/a/far rw,nosuid,nodev - fuse.sshfs a@b:/ rw,user_id=0
91 25 0:53 / /home/a/near rw,nosuid,nodev - fuse.gocryptfs /x rw,user_id=0
92 25 0:54 / /home/a/bucket rw - fuse.rclone bucket: rw
`
	for minor, want := range map[uint32]string{52: "fuse.sshfs", 53: "", 54: "fuse.rclone", 5: "", 60: ""} {
		if got := fuseOf(bufio.NewScanner(strings.NewReader(mountinfo)), 0, minor); got != want {
			t.Errorf("0:%d is %q, want %q", minor, got, want)
		}
	}
}

func TestTemporaryFolderIsLocal(t *testing.T) {
	if name, err := networkFS(t.TempDir()); err != nil || name != "" {
		t.Errorf("got %q, %v", name, err)
	}
}

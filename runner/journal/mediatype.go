package journal

import (
	"mime"
	"strings"
)

// extensions are the endings of files by media type, the same on every system. What
// is not here is .json, .xml or .txt where the type says so, else .bin.
var extensions = map[string]string{
	"application/gzip":                               ".gz",
	"application/javascript":                         ".js",
	"application/json":                               ".json",
	"application/msword":                             ".doc",
	"application/pdf":                                ".pdf",
	"application/rtf":                                ".rtf",
	"application/sql":                                ".sql",
	"application/toml":                               ".toml",
	"application/vnd.ms-excel":                       ".xls",
	"application/vnd.ms-powerpoint":                  ".ppt",
	"application/vnd.oasis.opendocument.spreadsheet": ".ods",
	"application/vnd.oasis.opendocument.text":        ".odt",
	"application/vnd.openxmlformats-officedocument.presentationml.presentation": ".pptx",
	"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet":         ".xlsx",
	"application/vnd.openxmlformats-officedocument.wordprocessingml.document":   ".docx",
	"application/vnd.sqlite3":   ".sqlite",
	"application/wasm":          ".wasm",
	"application/x-bzip2":       ".bz2",
	"application/x-ndjson":      ".ndjson",
	"application/x-tar":         ".tar",
	"application/x-yaml":        ".yaml",
	"application/xml":           ".xml",
	"application/yaml":          ".yaml",
	"application/zip":           ".zip",
	"application/zstd":          ".zst",
	"audio/aac":                 ".aac",
	"audio/flac":                ".flac",
	"audio/mp4":                 ".m4a",
	"audio/mpeg":                ".mp3",
	"audio/ogg":                 ".ogg",
	"audio/wav":                 ".wav",
	"audio/webm":                ".weba",
	"audio/x-wav":               ".wav",
	"font/ttf":                  ".ttf",
	"font/woff2":                ".woff2",
	"image/avif":                ".avif",
	"image/bmp":                 ".bmp",
	"image/gif":                 ".gif",
	"image/heic":                ".heic",
	"image/jpeg":                ".jpg",
	"image/png":                 ".png",
	"image/svg+xml":             ".svg",
	"image/tiff":                ".tiff",
	"image/vnd.microsoft.icon":  ".ico",
	"image/webp":                ".webp",
	"image/x-icon":              ".ico",
	"text/calendar":             ".ics",
	"text/css":                  ".css",
	"text/csv":                  ".csv",
	"text/html":                 ".html",
	"text/javascript":           ".js",
	"text/markdown":             ".md",
	"text/tab-separated-values": ".tsv",
	"text/x-python":             ".py",
	"text/xml":                  ".xml",
	"text/yaml":                 ".yaml",
	"video/mp4":                 ".mp4",
	"video/mpeg":                ".mpeg",
	"video/ogg":                 ".ogv",
	"video/quicktime":           ".mov",
	"video/webm":                ".webm",
}

// extensionOf returns the ending of a file with content of a media type.
func extensionOf(mediaType string) string {
	kind, _, err := mime.ParseMediaType(mediaType)
	if err != nil {
		kind = strings.ToLower(strings.TrimSpace(mediaType))
	}
	switch ext, known := extensions[kind]; {
	case known:
		return ext
	case strings.HasSuffix(kind, "+json"):
		return ".json"
	case strings.HasSuffix(kind, "+xml"):
		return ".xml"
	case strings.HasPrefix(kind, "text/"):
		return ".txt"
	}
	return ".bin"
}

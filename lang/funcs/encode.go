package funcs

import (
	"crypto/md5"
	"crypto/sha1"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/base64"
	"encoding/hex"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/lda-wf/wfc/lang/types"
	"github.com/lda-wf/wfc/lang/value"
)

var textOrBlob = types.UnionOf(types.StringType, types.BlobType)

func init() {
	register(Encodings,
		&Func{
			Name:   "base64encode",
			Params: []Param{{"value", textOrBlob}},
			Result: types.StringType,
			CallBlobs: func(blobs Blobs, args []value.Value) (value.Value, error) {
				s, err := contentOf(blobs, args[0])
				if err != nil {
					return value.Value{}, err
				}
				if err := roomForText(base64.StdEncoding.EncodedLen(len(s))); err != nil {
					return value.Value{}, err
				}
				return value.OfString(base64.StdEncoding.EncodeToString([]byte(s))), nil
			},
			Doc:     "Writes the bytes of text, or of a blob, in base64.",
			Example: `base64encode("å")`,
			Gives:   `"w6U="`,
		},
		&Func{
			Name:    "base64decode",
			Params:  []Param{{"text", types.StringType}},
			Result:  types.StringType,
			Call:    callBase64Decode,
			Doc:     "Reads text written in base64 (with padding; line breaks are ignored). It fails where the bytes are no UTF-8 text.",
			Example: `base64decode("w6U=")`,
			Gives:   `"å"`,
		},
		&Func{
			Name:   "sha256",
			Params: []Param{{"value", textOrBlob}},
			Result: types.StringType,
			Call: func(args []value.Value) (value.Value, error) {
				if args[0].Kind() == value.Blob {
					return value.OfString(args[0].AsBlob().SHA256), nil
				}
				sum := sha256.Sum256([]byte(args[0].AsString()))
				return value.OfString(hex.EncodeToString(sum[:])), nil
			},
			Doc:     "Gives the SHA-256 of text, or of a blob, in hexadecimal.",
			Example: `sha256("a")`,
			Gives:   `"ca978112ca1bbdcafac231b39a23dc4da786eff8147c4e72b9807785afee48bb"`,
		},
		text1("sha512", func(s string) string { sum := sha512.Sum512([]byte(s)); return hex.EncodeToString(sum[:]) },
			"Gives the SHA-512 of text in hexadecimal.",
			`substr(sha512("a"), 0, 16)`, `"1f40fc92da241694"`),
		text1("sha1", func(s string) string { sum := sha1.Sum([]byte(s)); return hex.EncodeToString(sum[:]) },
			"Gives the SHA-1 of text in hexadecimal, as Git and older interfaces use it; it protects nothing.",
			`sha1("a")`, `"86f7e437faa5a7fce15d1ddcb9eaeaea377667b8"`),
		text1("md5", func(s string) string { sum := md5.Sum([]byte(s)); return hex.EncodeToString(sum[:]) },
			"Gives the MD5 of text in hexadecimal, as older interfaces use it; it protects nothing.",
			`md5("a")`, `"0cc175b9c0f1b6a831c399e269772661"`),
		&Func{
			Name:   "urlencode",
			Params: []Param{{"text", types.StringType}},
			Result: types.StringType,
			Call: func(args []value.Value) (value.Value, error) {
				if err := roomForText(3 * len(args[0].AsString())); err != nil {
					return value.Value{}, err
				}
				return value.OfString(urlEncode(args[0].AsString())), nil
			},
			Doc:     "Writes every byte but letters, digits and `-._~` as `%` and two hexadecimal digits, a space too (Terraform writes `+`, which is a space in forms only). `urldecode` reads it back.",
			Example: `urlencode("a b/ö")`,
			Gives:   `"a%20b%2F%C3%B6"`,
		},
		&Func{
			Name:    "urldecode",
			Params:  []Param{{"text", types.StringType}},
			Result:  types.StringType,
			Call:    callURLDecode,
			Doc:     "Replaces `%` and two hexadecimal digits by their byte; `+` stays. It fails on any other `%`, and where the bytes are no UTF-8 text.",
			Example: `urldecode("caf%C3%A9+a%20b")`,
			Gives:   `"café+a b"`,
		},
		&Func{
			Name:   "text",
			Params: []Param{{"blob", types.BlobType}},
			Result: types.StringType,
			CallBlobs: func(blobs Blobs, args []value.Value) (value.Value, error) {
				s, err := contentOf(blobs, args[0])
				if err != nil {
					return value.Value{}, err
				}
				if !utf8.ValidString(s) {
					return value.Value{}, failArg(0, "The blob's bytes are no UTF-8 text. Pass the blob itself, or base64encode() of it.")
				}
				return value.OfString(s), nil
			},
			Doc:     "Gives the bytes of a blob as text. It fails where they are no UTF-8 text.",
			Example: `text(self.content[0].blob)`,
			Gives:   `"hello\n"`,
		},
	)
}

// contentOf returns text as it is, and the bytes of a blob.
func contentOf(blobs Blobs, v value.Value) (string, error) {
	if v.Kind() == value.String {
		return v.AsString(), nil
	}
	b := v.AsBlob()
	if b.Size > maxText {
		return "", failArg(0, "The blob has %d bytes; at most %d can be read into text.", b.Size, maxText)
	}
	bytes, err := blobs.ReadBlob(b, maxText)
	if err != nil {
		return "", failArg(0, "The blob %s cannot be read: %v.", b.SHA256, err)
	}
	return string(bytes), nil
}

func callBase64Decode(args []value.Value) (value.Value, error) {
	bytes, err := base64.StdEncoding.DecodeString(args[0].AsString())
	if err != nil {
		return value.Value{}, failArg(0, "The text is no base64: %v.", err)
	}
	if !utf8.Valid(bytes) {
		return value.Value{}, failArg(0, "The decoded bytes are no UTF-8 text.")
	}
	return value.OfString(string(bytes)), nil
}

func urlEncode(s string) string {
	// QueryEscape writes a plus sign itself as %2B, so that every one left is a space.
	return strings.ReplaceAll(url.QueryEscape(s), "+", "%20")
}

func callURLDecode(args []value.Value) (value.Value, error) {
	decoded, err := url.PathUnescape(args[0].AsString())
	if err != nil {
		return value.Value{}, failArg(0, "The text is not URL-encoded: a %% must be followed by two hexadecimal digits, but there is %s.", strings.TrimPrefix(err.Error(), "invalid URL escape "))
	}
	if !utf8.ValidString(decoded) && utf8.ValidString(args[0].AsString()) {
		return value.Value{}, failArg(0, "The decoded bytes are no UTF-8 text.")
	}
	return value.OfString(decoded), nil
}

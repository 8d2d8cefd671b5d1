package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"path"
	"strconv"
	"strings"
	"syscall"
	"time"
	"unicode"

	"crier"
)

// Fetcher downloads files from untrusted URLs. It connects to the public internet only: the IP address of every
// connection, including those of redirects, is checked when dialing, so that a DNS name that changes between check and
// use gains nothing. It uses no proxy, stores no cookies and sends no credentials.
//
// The zero value is ready for use. Zero fields have defaults.
type Fetcher struct {
	MaxBytes    int64         // of a file; default crier.MaxAssetSize
	Timeout     time.Duration // from the start to the last byte; default 15 minutes
	IdleTimeout time.Duration // without a byte; default 30 seconds

	// AllowAddr and AllowPort allow further addresses and ports, for tests and for a sandbox on this machine. All
	// others must be public addresses, and port 80 or 443.
	AllowAddr func(netip.Addr) bool
	AllowPort func(port uint16) bool
	// AllowedOnly refuses public addresses that AllowAddr does not allow, for connections that are not encrypted.
	AllowedOnly bool

	// LookupNetIP resolves names; the default is net.DefaultResolver's.
	LookupNetIP func(ctx context.Context, network, host string) ([]netip.Addr, error)
}

const (
	maxRedirects   = 5
	maxAddress     = 2048
	connectTimeout = 10 * time.Second
)

func (f Fetcher) withDefaults() Fetcher {
	if f.MaxBytes == 0 {
		f.MaxBytes = crier.MaxAssetSize
	}
	if f.Timeout == 0 {
		f.Timeout = 15 * time.Minute
	}
	if f.IdleTimeout == 0 {
		f.IdleTimeout = 30 * time.Second
	}
	if f.AllowAddr == nil {
		f.AllowAddr = func(netip.Addr) bool { return false }
	}
	if f.AllowPort == nil {
		f.AllowPort = func(uint16) bool { return false }
	}
	if f.LookupNetIP == nil {
		f.LookupNetIP = net.DefaultResolver.LookupNetIP
	}
	return f
}

// Download is a file being downloaded. Reading it fails with a *Refusal if it is too large or too slow.
type Download struct {
	Body     io.ReadCloser
	FileName string // as named by the server, without directories; may be empty
	MimeType string // as declared by the server, possibly wrong; may be empty
	Size     int64  // as declared by the server, or -1
}

// Fetch starts a download. The caller closes its Body. A URL that is not allowed, or does not return a file, is a
// *Refusal.
func (f Fetcher) Fetch(ctx context.Context, address string) (*Download, error) {
	f = f.withDefaults()
	target, err := f.checkURL(address)
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, f.Timeout, tooSlow(f.Timeout))
	body := &fetchedBody{ctx: ctx, cancel: cancel, idle: f.IdleTimeout}
	response, err := f.get(ctx, target) //nolint:bodyclose // the caller closes it with the Download
	if err != nil {
		err = explainFetch(ctx, err)
		cancel()
		return nil, err
	}
	body.response = response.Body
	if err := f.checkResponse(response); err != nil {
		return nil, errors.Join(err, body.Close())
	}
	body.limited = &limitReader{r: response.Body, left: f.MaxBytes, max: f.MaxBytes}
	mimeType, _, err := mime.ParseMediaType(response.Header.Get("Content-Type"))
	if err != nil {
		mimeType = "" // a server that does not know the type
	}
	return &Download{Body: body, FileName: fileName(response), MimeType: mimeType, Size: response.ContentLength}, nil
}

// checkURL rejects URLs by their form. The IP addresses are checked when dialing.
func (f Fetcher) checkURL(address string) (*url.URL, error) {
	if len(address) > maxAddress {
		return nil, refuse(ReasonAddress, "The address is longer than %d characters.", maxAddress)
	}
	target, err := url.Parse(address)
	if err != nil || target.Hostname() == "" || target.Opaque != "" {
		return nil, refuse(ReasonAddress, "This is not an address like https://example.com/picture.jpg.")
	}
	return target, f.checkTarget(target)
}

func (f Fetcher) checkTarget(target *url.URL) error {
	if target.Scheme != "http" && target.Scheme != "https" {
		return refuse(ReasonAddress, "Files can be imported from http and https addresses only.")
	}
	if target.User != nil {
		return refuse(ReasonAddress, "The address must not contain a user name or password.")
	}
	host := target.Hostname()
	if _, err := netip.ParseAddr(host); err != nil && looksNumeric(host) {
		return refuse(ReasonAddress, "The host of the address is a number in an unusual spelling. Use a name.")
	}
	if port := target.Port(); port != "" {
		number, err := strconv.ParseUint(port, 10, 16)
		if err != nil || number != 80 && number != 443 && !f.AllowPort(uint16(number)) {
			return refuse(ReasonAddress, "Files can be imported from the ports 80 and 443 only.")
		}
	}
	return nil
}

// get follows redirects to the response with the file.
func (f Fetcher) get(ctx context.Context, target *url.URL) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "crier")
	request.Header.Set("Accept", "*/*")
	client := &http.Client{Transport: f.transport(),
		CheckRedirect: func(next *http.Request, via []*http.Request) error {
			if len(via) > maxRedirects {
				return refuse(ReasonUnreachable, "The address redirects more than %d times.", maxRedirects)
			}
			next.Header.Del("Referer")
			return f.checkTarget(next.URL)
		}}
	return client.Do(request)
}

// CheckURL rejects URLs that may not be connected to, as far as their form shows.
func (f Fetcher) CheckURL(address string) error {
	f = f.withDefaults()
	target, err := f.checkURL(address)
	if err != nil {
		return err
	}
	if literal, err := netip.ParseAddr(target.Hostname()); err == nil {
		return f.checkAddr(literal)
	}
	return nil
}

// Transport returns a transport with the fetcher's restrictions, for other requests.
func (f Fetcher) Transport() http.RoundTripper { return f.withDefaults().transport() }

// EncryptedTransport is Transport, but sends unencrypted requests only to what AllowAddr allows, wherever a name leads.
func (f Fetcher) EncryptedTransport() http.RoundTripper {
	plain := f
	plain.AllowedOnly = true
	return byScheme{encrypted: f.Transport(), plain: plain.Transport()}
}

type byScheme struct {
	encrypted, plain http.RoundTripper
}

// RoundTrip sends a request.
func (t byScheme) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.URL.Scheme == "https" {
		return t.encrypted.RoundTrip(r)
	}
	return t.plain.RoundTrip(r)
}

// MaxDocument is the maximum size of a Document, in bytes.
const MaxDocument = 32 << 10

// Document fetches a small document. Redirects are not followed: the URL identifies the owner of the document.
func (f Fetcher) Document(ctx context.Context, address string) ([]byte, error) {
	f = f.withDefaults()
	target, err := f.checkURL(address)
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target.String(), nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("User-Agent", "crier")
	request.Header.Set("Accept", "application/json")
	response, err := f.transport().RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	if err := f.checkResponse(response); err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, MaxDocument+1))
	if err == nil && len(data) > MaxDocument {
		err = refuse(ReasonTooLarge, "The document has more than %d bytes.", MaxDocument)
	}
	return data, err
}

// RefusedAddress returns why an address was not connected to, or "" if err has another cause.
func RefusedAddress(err error) string {
	refused, ok := errors.AsType[*Refusal](err)
	switch {
	case ok && refused.Reason == ReasonAddress:
		return "The address leads into a private network, which is not allowed."
	case ok && refused.Reason == ReasonUnencrypted:
		return refused.Message
	}
	return ""
}

// transport opens a new connection for every request: a reused one could have been checked for another name.
func (f Fetcher) transport() *http.Transport {
	return &http.Transport{
		DialContext:            f.dial,
		DisableKeepAlives:      true,
		DisableCompression:     true, // sizes are those of the file, and nothing is decompressed
		TLSHandshakeTimeout:    connectTimeout,
		ResponseHeaderTimeout:  f.IdleTimeout,
		MaxResponseHeaderBytes: 64 << 10,
	}
}

// dial resolves the name itself, rejects it if any of its addresses is not public, and connects to one of exactly these
// addresses. Control checks the actual address of the connection again.
func (f Fetcher) dial(ctx context.Context, network, hostPort string) (net.Conn, error) {
	host, port, err := net.SplitHostPort(hostPort)
	if err != nil {
		return nil, err
	}
	addrs, err := f.resolve(ctx, host)
	if err != nil {
		return nil, err
	}
	dialer := &net.Dialer{Timeout: connectTimeout, ControlContext: f.control}
	var failures []error
	for _, addr := range addrs {
		conn, err := dialer.DialContext(ctx, network, net.JoinHostPort(addr.String(), port))
		if err == nil {
			return conn, nil
		}
		failures = append(failures, err)
	}
	return nil, errors.Join(failures...)
}

// resolve returns the addresses of a host, and fails unless all are allowed.
func (f Fetcher) resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if literal, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{literal}, f.checkAddr(literal)
	}
	addrs, err := f.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, err
	}
	for i, addr := range addrs {
		addrs[i] = addr.Unmap() // resolvers return IPv4 addresses in IPv6 form
		if err := f.checkAddr(addrs[i]); err != nil {
			return nil, err
		}
	}
	if len(addrs) == 0 {
		return nil, refuse(ReasonUnreachable, "The host of the address is not known.")
	}
	return addrs, nil
}

func (f Fetcher) checkAddr(addr netip.Addr) error {
	switch {
	case f.AllowAddr(addr):
		return nil
	case isPublic(addr) && f.AllowedOnly:
		return refuse(ReasonUnencrypted, "Addresses on the public internet need https://.")
	case isPublic(addr):
		return nil
	}
	return refuse(ReasonAddress,
		"The address leads into a private network. Files can be imported from the public internet only.")
}

// control checks the address that a socket is about to connect to.
func (f Fetcher) control(_ context.Context, _, address string, _ syscall.RawConn) error {
	target, err := netip.ParseAddrPort(address)
	if err != nil {
		return fmt.Errorf("address of the connection: %w", err)
	}
	return f.checkAddr(target.Addr())
}

// checkResponse rejects responses without a file.
func (f Fetcher) checkResponse(response *http.Response) error {
	if response.StatusCode != http.StatusOK {
		return refuse(ReasonUnreachable, "The server of the address answered %d %s instead of a file.",
			response.StatusCode, http.StatusText(response.StatusCode))
	}
	if encoding := response.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return refuse(ReasonUnreachable, "The server of the address sent the file compressed, which was not requested.")
	}
	if response.ContentLength > f.MaxBytes {
		return refuse(ReasonTooLarge, "The file is larger than the allowed %s.", byteCount(f.MaxBytes))
	}
	return nil
}

// fileName returns the file name given by the server, or the last element of the URL.
func fileName(response *http.Response) string {
	_, parameters, err := mime.ParseMediaType(response.Header.Get("Content-Disposition"))
	name := parameters["filename"]
	if err != nil || name == "" {
		name = response.Request.URL.Path
	}
	name = path.Base(strings.ReplaceAll(name, `\`, "/"))
	name = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == unicode.ReplacementChar {
			return -1
		}
		return r
	}, name))
	if name == "." || name == "/" || name == ".." {
		return ""
	}
	const longest = 200
	if runes := []rune(name); len(runes) > longest {
		name = string(runes[:longest])
	}
	return name
}

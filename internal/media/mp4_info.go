package media

import (
	"fmt"
	"strings"
)

// info combines the results of the walk.
func (m *movie) info() (Info, error) {
	video := m.firstTrack("vide")
	if video == nil {
		return Info{}, refuse(ReasonUnsupported, "The file has no pictures, only sound or data. Allowed are %s.",
			allowedTypes)
	}
	if video.width == 0 || video.height == 0 {
		return Info{}, corrupt("video", "its pictures have no size")
	}
	info := Info{
		Kind:  KindVideo,
		Width: video.width, Height: video.height, Rotation: video.rotation, PixelAspect: 1,
		VideoCodec: video.codec, VideoProfile: video.profile, Chroma: video.chroma, BitDepth: video.bitDepth,
		Interlaced: video.interlaced, Frames: int(min(video.samples, 1<<31)), EditList: m.editList,
		Fragmented: len(m.defaults) > 0,
		FastStart:  m.dataAt == 0 || m.indexAt < m.dataAt,
	}
	if video.rotation%180 != 0 {
		info.Width, info.Height = info.Height, info.Width
	}
	if video.aspectH > 0 && video.aspectV > 0 {
		info.PixelAspect = float64(video.aspectH) / float64(video.aspectV)
	}
	if sound := m.firstTrack("soun"); sound != nil {
		info.AudioCodec, info.AudioChannels, info.AudioSampleRate = sound.codec, sound.channels, sound.sampleRate
	}
	if err := m.addTimes(video, &info); err != nil {
		return Info{}, err
	}
	return info, nil
}

// firstTrack prefers a track that has a codec and samples: some files also have covers and empty tracks.
func (m *movie) firstTrack(handler string) *movieTrack {
	var found *movieTrack
	for _, t := range m.tracks {
		if t.handler != handler {
			continue
		}
		if found == nil || found.samples <= 1 && t.samples > 1 {
			found = t
		}
	}
	return found
}

// codecNames are the common names of four-letter codes; others keep their code.
var codecNames = map[string]string{
	"avc1": "h264", "avc2": "h264", "avc3": "h264", "avc4": "h264",
	"hvc1": "hevc", "hev1": "hevc", "dvh1": "hevc", "dvhe": "hevc",
	"vp08": "vp8", "vp09": "vp9", "av01": "av1", "mp4v": "mpeg4", "jpeg": "mjpeg", "s263": "h263",
	"apch": "prores", "apcn": "prores", "apcs": "prores", "apco": "prores", "ap4h": "prores", "ap4x": "prores",
	"mp4a": "aac", "Opus": "opus", "fLaC": "flac", "ac-3": "ac3", "ec-3": "eac3", ".mp3": "mp3", "samr": "amr",
	"sowt": "pcm", "twos": "pcm", "lpcm": "pcm", "in24": "pcm", "in32": "pcm", "ipcm": "pcm", "fl32": "pcm",
}

func codecName(code string) string {
	if name, ok := codecNames[code]; ok {
		return name
	}
	return strings.TrimSpace(printable(code))
}

// soundObjectName returns the codec of an object type of mp4a (mp4ra.org, object types).
func soundObjectName(objectType byte) string {
	switch objectType {
	case 0x40, 0x66, 0x67, 0x68:
		return "aac"
	case 0x69, 0x6b:
		return "mp3"
	case 0xa5:
		return "ac3"
	case 0xa6:
		return "eac3"
	case 0xad:
		return "opus"
	}
	return fmt.Sprintf("mp4a.%02x", objectType)
}

func chromaName(format int) string {
	return [...]string{"4:0:0", "4:2:0", "4:2:2", "4:4:4"}[format&3]
}

import { verifies } from '@waymark/contract/testing';
import { describe, expect, it } from 'vitest';
import { toFfmpegArguments, toSource } from '../../src/cli/push/source.ts';

const live = ['-fflags', 'nobuffer'];

describe('a source of pictures', () => {
  it.each([
    ['rtsp://camera/1', [...live, '-rtsp_transport', 'tcp']],
    ['rtsps://camera/1', [...live, '-rtsp_transport', 'tcp']],
    ['/dev/video0', [...live, '-f', 'v4l2']],
    ['http://camera/video.cgi?user=admin', [...live, '-use_wallclock_as_timestamps', '1']],
    ['https://camera/live.m3u8', live],
    ['rtmp://camera/live/door.flv', live],
  ])('is live: %s', (address, args) => {
    verifies('cli.push.sources');
    expect(toSource(address, { loop: true })).toEqual({ isPlayed: false, args: [...args, '-i', address] });
  });

  it.each(['recording.mp4', './a folder/film', 'C:\\film.mkv', 'https://films.example/door.MP4?signed=1'])(
    'is played at its own pace: %s',
    (address) => {
      verifies('cli.push.sources');
      const args = (loop: boolean) => toSource(address, { loop });
      expect(args(false)).toEqual({ isPlayed: true, args: ['-re', '-i', address] });
      expect(args(true).args).toEqual(['-re', '-stream_loop', '-1', '-i', address]);
    },
  );

  it.each([
    ['testsrc', 'lavfi', true],
    ['film.bin', 'h264', true],
    ['video=Webcam', 'dshow', false],
    ['0', 'avfoundation', false],
    [':0.0', 'x11grab', false],
  ])('is what its format says: %s by %s', (address, inputFormat, isPlayed) => {
    const source = toSource(address, { inputFormat, loop: false });
    expect(source.isPlayed).toBe(isPlayed);
    expect(source.args.slice(-4)).toEqual(['-f', inputFormat, '-i', address]);
  });

  it('becomes JPEGs on stdout, no wider than they may be', () => {
    const source = toSource('film.mp4', { loop: false });
    const args = toFfmpegArguments(source, { fps: 5, quality: 7, width: 640 });
    expect(args.join(' ')).toMatch(
      /-i film\.mp4 -an -sn -dn -vf select='\S+',scale='min\(640,iw\)':-2 .* -q:v 7 /,
    );
    expect(toFfmpegArguments(source, { fps: 0.5, quality: 5 }).join(' ')).toContain('floor(t*0.5)');
  });
});

/** Where pictures come from, and how ffmpeg is told. */
export interface Source {
  /** Played at its own pace, and over at some time; else it is live, and started again whenever it ends. */
  readonly isPlayed: boolean;
  /** Its part of the command line of ffmpeg. */
  readonly args: readonly string[];
}

/** What somebody may say of a source. */
export interface SourceOptions {
  /** As ffmpeg calls it: `lavfi`, `v4l2`, `dshow`. */
  readonly inputFormat?: string | undefined;
  /** Begins again when it is over. */
  readonly loop: boolean;
}

/** Files by their names. An address of one is played; any other is live, such as motion JPEG. */
const videos = /\.(avi|flv|gif|m4v|mkv|mov|mp4|mpe?g|ogv|ts|webm|wmv|y4m)$/i;

/** What captures from a device of this machine, by the names of ffmpeg. */
const capturing =
  /^(android_camera|avfoundation|decklink|dshow|fbdev|gdigrab|iec61883|kmsgrab|v4l2|vfwcap|video4linux2|x11grab)$/;

/** Tells a camera from a file by its address. */
export function toSource(address: string, { inputFormat, loop }: SourceOptions): Source {
  const [, scheme = ''] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(address) ?? [];
  const format = inputFormat ?? (address.startsWith('/dev/video') ? 'v4l2' : undefined);
  const isDevice = format !== undefined && capturing.test(format);
  const isWeb = /^https?$/i.test(scheme);
  const [path = ''] = address.split(/[?#]/);
  const isPlayed = scheme === '' ? !isDevice : isWeb && videos.test(path);
  return {
    isPlayed,
    args: [
      ...(isPlayed ? ['-re', ...(loop ? ['-stream_loop', '-1'] : [])] : ['-fflags', 'nobuffer']),
      // Motion JPEG says no times, and ffmpeg makes them up; the segments of a playlist have their own.
      ...(!isPlayed && isWeb && !path.endsWith('.m3u8') ? ['-use_wallclock_as_timestamps', '1'] : []),
      // What UDP loses of a picture is grey.
      ...(/^rtsps?$/i.test(scheme) ? ['-rtsp_transport', 'tcp'] : []),
      ...(format === undefined ? [] : ['-f', format]),
      ...['-i', address],
    ],
  };
}

/** What becomes of its pictures. */
export interface PictureOptions {
  readonly fps: number;
  /** Of ffmpeg: 2 is the best, 31 the smallest. */
  readonly quality: number;
  /** Wider ones are made smaller. */
  readonly width?: number | undefined;
}

/** The command line of ffmpeg: JPEGs on stdout, what is wrong on stderr. */
export function toFfmpegArguments(
  source: Source,
  { fps, quality, width }: PictureOptions,
): readonly string[] {
  // The first of each slot: the filter `fps` would send a picture of a slower camera twice.
  const pace = `select='isnan(prev_selected_t)+not(eq(floor(t*${fps}),floor(prev_selected_t*${fps})))'`;
  const scale = width === undefined ? [] : [`scale='min(${width},iw)':-2`];
  return [
    ...['-hide_banner', '-nostdin', '-loglevel', 'error'],
    ...source.args,
    ...['-an', '-sn', '-dn', '-vf', [pace, ...scale].join(',')],
    // Newer ones call it -fps_mode, and know this name, too.
    ...['-vsync', 'passthrough'],
    ...['-c:v', 'mjpeg', '-q:v', String(quality), '-f', 'image2pipe', 'pipe:1'],
  ];
}

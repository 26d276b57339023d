/**
 * Paths below `/files` that must lead nowhere: 70 ways to write a climb, something hidden, something of another system.
 *
 * The directory served has `public.txt`, `.env`, `.git/config`, `dir/inside.txt`, and the links `out` and `out.txt`
 * that lead outside; beside it are `secret.txt` and `files-more/secret.txt`. A file that is called `..\secret.txt`,
 * `a:b` or `nul` is in it, too: what is a name here is none elsewhere.
 */
export const traversals: readonly string[] = [
  ...[
    '/../secret.txt',
    '/./public.txt',
    '/dir/../public.txt',
    '/dir/../../secret.txt',
    '/..',
    '/../',
    '/.',
    '/./',
  ],
  ...['/%2e%2e/secret.txt', '/%2E%2E/secret.txt', '/.%2e/secret.txt', '/%2e./secret.txt', '/%2e/public.txt'],
  ...[
    '/%2e%2e%2fsecret.txt',
    '/..%2fsecret.txt',
    '/..%2Fsecret.txt',
    '/dir%2finside.txt',
    '/dir/..%2f..%2fsecret.txt',
  ],
  ...[
    '/%252e%252e/secret.txt',
    '/%252e%252e%252fsecret.txt',
    '/..%252fsecret.txt',
    '/%c0%ae%c0%ae/secret.txt',
  ],
  ...[
    '/%c0%ae%c0%ae%c0%afsecret.txt',
    '/..%c0%afsecret.txt',
    '/%e0%80%ae/secret.txt',
    '/%uff0e%uff0e/secret.txt',
  ],
  ...['/..\\secret.txt', '/..%5csecret.txt', '/..%5Csecret.txt', '/%5c..%5csecret.txt', '/dir\\inside.txt'],
  ...['/dir%5cinside.txt', '/%2e%2e%5csecret.txt', '/\\secret.txt', '/%5c%5chost%5cshare'],
  ...[
    '//secret.txt',
    '//../secret.txt',
    '///etc/passwd',
    '//etc/passwd',
    '/dir//inside.txt',
    '/%2fetc%2fpasswd',
  ],
  ...['/%2f%2fetc/passwd', '/....//secret.txt', '/..../secret.txt', '/..;/secret.txt', '/.../public.txt'],
  ...[
    '/.env',
    '/%2eenv',
    '/.git/config',
    '/.git%2fconfig',
    '/dir/.hidden',
    '/dir/.git',
    '/dir/%2e',
    '/public.txt/.',
  ],
  ...[
    '/public.txt/',
    '/public.txt/x',
    '/public.txt.',
    '/public.txt%20',
    '/public.txt::$DATA',
    '/public.txt%00',
  ],
  ...['/public.txt%00.css', '/%00', '/a:b', '/c:%5cwindows', '/nul', '/NUL.txt', '/con', '/out', '/out.txt'],
  ...[
    '/out/secret.txt',
    '/out/../secret.txt',
    '/-more/secret.txt',
    '/public%2etxt%0a',
    '/public.txt%0d%0aX:%20y',
  ],
];

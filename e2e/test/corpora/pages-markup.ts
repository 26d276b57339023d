/**
 * Texts that somebody may have stored, each of which runs `window.ran(n)` where a page lets it out of its place: `n`
 * is put in for `{n}`. They break out of text, of attributes, of comments and raw elements, of JSON, of addresses.
 */
export const markup: readonly string[] = [
  '<script>ran({n})</script>',
  '</script><script>ran({n})</script>',
  '<img src=x onerror=ran({n})>',
  '<svg onload=ran({n})>',
  '<svg><script>ran({n})</script></svg>',
  '<iframe srcdoc="<script>parent.ran({n})</script>"></iframe>',
  '<math><mtext><table><mglyph><style><img src=x onerror=ran({n})>',
  '"><img src=x onerror=ran({n})>',
  "'><img src=x onerror=ran({n})>",
  '" autofocus onfocus=ran({n}) x="',
  "' autofocus onfocus='ran({n})' x='",
  '" onmouseover="ran({n})',
  '` onmouseover=ran({n}) x=`',
  'x onmouseover=ran({n}) autofocus onfocus=ran({n})',
  '</title><script>ran({n})</script>',
  '</textarea><img src=x onerror=ran({n})>',
  '</style><img src=x onerror=ran({n})>',
  '</noscript><img src=x onerror=ran({n})>',
  '--><img src=x onerror=ran({n})><!--',
  '--!><img src=x onerror=ran({n})>',
  ']]><img src=x onerror=ran({n})>',
  '"-ran({n})-"',
  "'-ran({n})-'",
  '\\"-ran({n})//',
  '${ran({n})}',
  '"};ran({n});//',
  '\u2028ran({n})\u2029',
  '<!--<script>ran({n})//',
  'javascript:ran({n})',
  'JaVaScRiPt:ran({n})',
  ' javascript:ran({n})',
  '\u0001javascript:ran({n})',
  'java\tscript:ran({n})',
  'java\nscript:ran({n})',
  'javascript\n:ran({n})',
  'javascript&colon;ran({n})',
  '&#106;avascript:ran({n})',
  'data:text/html,<script>parent.ran({n})</script>',
  'vbscript:ran({n})',
  '//x/"onerror="ran({n})',
  '#"><img src=x onerror=ran({n})>',
  'red;background:url("javascript:ran({n})")',
  'red}</style><script>ran({n})</script>',
  '{{#with "constructor"}}{{ran({n})}}{{/with}}',
  '{{{<img src=x onerror=ran({n})>}}}',
  '&lt;img src=x onerror=ran({n})&gt;',
  '%3Cscript%3Eran({n})%3C/script%3E',
  '<a href="javascript:ran({n})">a</a>',
  '<form action="javascript:ran({n})"><input type=submit autofocus>',
  '<base href="javascript:ran({n})//">',
];

/** A page with a value in every place where a template may put one; `rows` have an id and a text. */
export const everyPlace = `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{rows.0.text}}{{#each rows}}{{text}}{{/each}}</title></head><body>
{{#each rows}}
<section id="row{{id}}" class="row {{text}}">
  <p title="{{text}}" data-text='{{text}}'>{{text}}</p>
  <a class="link" href="{{text}}">address</a>
  <a class="link" href='/tickets/{{text}}'>path</a>
  <a class="link" href="?q={{text}}#{{text}}">query</a>
  <a class="link" href="{{#if text}}{{text}}{{else}}/{{/if}}">condition</a>
  <img src="{{text}}" alt="{{text}}">
  <iframe src="{{text}}" title="{{text}}"></iframe>
  <form action="{{text}}"><input name="a" value="{{text}}" placeholder='{{text}}'>
    <button formaction="{{text}}">send</button></form>
  <textarea>{{text}}</textarea>
  <span style="width: {{text}}; color: {{text}}">style</span>
  <svg><title>{{text}}</title><a class="link" xlink:href="{{text}}"><text>{{text}}</text></a></svg>
  <noscript><p title="{{text}}">{{text}}</p></noscript>
  <select><option value="{{text}}"{{#if text}} selected{{/if}}>{{text}}</option></select>
  {{> row}}
</section>
{{/each}}
<script type="application/json" id="rows">{{rows}}</script>
<script type="application/json" id="deep">{"list":[{{rows.0.text}},{{rows}}]}</script>
</body></html>`;

/** A partial for it. */
export const rowPartial = '<em title="{{text}}" class="{{text}}">{{text}}</em>';

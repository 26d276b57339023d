export { type CreatePagesOptions, createPages, type PagesDeclaration } from './create-pages.ts';
export type { HostFiles, HostSide } from './files/host-files.ts';
export { type StaticFilesDeclaration, type StaticFilesOptions, staticFiles } from './files/static-files.ts';
export { type PageDeclaration, type PageOptions, type PageParams, page } from './page/page.ts';
export {
  type PageHandler,
  type PageHandlerDeclaration,
  type PageHandlerOptions,
  pageHandler,
  type TemplateContext,
} from './page/page-handler.ts';
export { pageRules } from './page-rules.ts';
export { pagesFeature } from './pages-feature.ts';
export { createProxies, type ForwardingDeclaration } from './proxy/create-proxies.ts';
export { forwardingFeature } from './proxy/forwarding-feature.ts';
export { type ProxyDeclaration, type ProxyOptions, proxy } from './proxy/proxy.ts';
export { proxyRules } from './proxy/proxy-rules.ts';
export { type UpstreamDeclaration, type UpstreamOptions, upstream } from './proxy/upstream.ts';

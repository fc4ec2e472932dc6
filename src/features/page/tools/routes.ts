import type { PageRoute } from '../page-route.ts';

export const toolsRoutes: readonly PageRoute[] = [];

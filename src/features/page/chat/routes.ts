import type { PageRoute } from '../page-route.ts';

export const chatRoutes: readonly PageRoute[] = [];

import type { PageRoute } from '../page-route.ts';

export const peopleRoutes: readonly PageRoute[] = [];

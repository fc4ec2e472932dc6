/** The first segments of the addresses that the page shows: each is answered with the page, which finds the rest itself. */
export const pageNames = ['', 'chat', 'waiting', 'activity', 'tools', 'people', 'settings'] as const;

/** The files of the build that have fixed names, if it has them. */
export const rootFiles = ['sw.js', 'manifest.webmanifest'] as const;

const browsers: [RegExp, string][] = [
  [/Edg\//, 'Edge'],
  [/OPR\//, 'Opera'],
  [/Firefox\//, 'Firefox'],
  [/Chrome\/|CriOS\//, 'Chrome'],
  [/Safari\//, 'Safari'],
]

const systems: [RegExp, string][] = [
  [/iPhone/, 'iPhone'],
  [/iPad/, 'iPad'],
  [/Android/, 'Android'],
  [/Windows/, 'Windows'],
  [/Mac OS X/, 'Mac'],
  [/Linux/, 'Linux'],
]

/** A browser by the name that people know it by: what it calls itself is long and mostly history. */
export function browserName(agent: string): string {
  const browser = browsers.find(([mark]) => mark.test(agent))?.[1]
  const system = systems.find(([mark]) => mark.test(agent))?.[1]
  if (!browser) return agent || 'A browser'
  return system ? `${browser} on ${system}` : browser
}

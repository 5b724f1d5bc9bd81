/** Returns the label of a field from its name: `profileUrl` becomes `Profile URL`. */
export function labelOf(name: string): string {
  const words = name.replaceAll(/([A-Z])/g, (letter) => ` ${letter.toLowerCase()}`);
  const spelled = words.replace(/\burls?\b/, (word) => (word === 'url' ? 'URL' : 'URLs')).replace(/\bhtml\b/, 'HTML');
  return spelled.charAt(0).toUpperCase() + spelled.slice(1);
}

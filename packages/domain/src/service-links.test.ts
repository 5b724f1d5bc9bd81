import { expect, test } from 'vitest';
import { serviceLinks } from './service-links.ts';

test.each(['https://api.example.com', 'https://api.example.com/'])(
  'the contract and the documentation of %s',
  (apiUrl) => {
    expect(serviceLinks({ apiUrl, docsUrl: 'https://docs.example.com/v1/' })).toBe(
      '<https://api.example.com/api/v1/openapi.json>; rel="service-desc"; type="application/json", ' +
        '<https://docs.example.com/v1/>; rel="service-doc"; type="text/html"',
    );
  },
);

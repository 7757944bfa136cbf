// The key that is entered under "Authorize" stays in this browser's storage.
SwaggerUIBundle({
  url: '/docs/openapi.yaml',
  dom_id: '#swagger-ui',
  deepLinking: true,
  defaultModelsExpandDepth: 0, // the schemas are folded
  displayRequestDuration: true,
  persistAuthorization: true,
  tryItOutEnabled: true,
  supportedSubmitMethods: ['get', 'patch', 'delete'],
  validatorUrl: null, // it would send the document to another host
});

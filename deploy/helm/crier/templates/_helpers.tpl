{{- define "crier.name" -}}
{{- if contains "crier" .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}{{ else }}{{ printf "%s-crier" .Release.Name | trunc 50 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "crier.selector" -}}
app.kubernetes.io/name: crier
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "crier.labels" -}}
{{ include "crier.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "crier.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ default (include "crier.name" .) .Values.serviceAccount.name }}{{ else }}{{ default "default" .Values.serviceAccount.name }}{{ end }}
{{- end }}

{{- define "crier.environment" -}}
- name: CRIER_PUBLIC_URL
  value: {{ required "set publicUrl to the address of this installation" .Values.publicUrl | quote }}
- name: CRIER_DATABASE_URL
  valueFrom:
    secretKeyRef:
      name: {{ required "set database.existingSecret to a secret with the address of PostgreSQL" .Values.database.existingSecret | quote }}
      key: {{ .Values.database.key | quote }}
- name: CRIER_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ required "set secretKey.existingSecret to a secret with crier's key" .Values.secretKey.existingSecret | quote }}
      key: {{ .Values.secretKey.key | quote }}
- name: CRIER_S3_ENDPOINT
  value: {{ required "set s3.endpoint: all nodes need the same media" .Values.s3.endpoint | quote }}
- name: CRIER_S3_BUCKET
  value: {{ required "set s3.bucket" .Values.s3.bucket | quote }}
{{- with .Values.s3.region }}
- name: CRIER_S3_REGION
  value: {{ . | quote }}
{{- end }}
{{- with .Values.s3.prefix }}
- name: CRIER_S3_PREFIX
  value: {{ . | quote }}
{{- end }}
- name: CRIER_S3_ACCESS_KEY
  valueFrom:
    secretKeyRef:
      name: {{ required "set s3.existingSecret to a secret with the keys of the bucket" .Values.s3.existingSecret | quote }}
      key: {{ .Values.s3.accessKeyKey | quote }}
- name: CRIER_S3_SECRET_KEY
  valueFrom:
    secretKeyRef:
      name: {{ .Values.s3.existingSecret | quote }}
      key: {{ .Values.s3.secretKeyKey | quote }}
{{- with .Values.trustedProxies }}
- name: CRIER_TRUSTED_PROXIES
  value: {{ . | quote }}
{{- end }}
{{- range $name, $value := .Values.settings }}
- name: {{ $name }}
  value: {{ $value | quote }}
{{- end }}
{{- end }}

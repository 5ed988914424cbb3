' Between cells and Python: ranges go over as their values, in one call; errors come back as texts of their codes.
Option Explicit
Option Private Module

' What Excel shows as #GETTING_DATA; older versions have no name for it.
Private Const GETTING_DATA As Long = 2043

Private told As String
Private cell_waits As Boolean
Private some_waited As Boolean

Public Function Answer(ByVal name As String, ByVal given As Variant) As Variant
    TellCaller
    cell_waits = False
    Answer = AsCells(CallPython(name, Sent(given)))
    ' A cell that waits is asked again with every calculation; one that waited is not, once it has its answer.
    If cell_waits Then
        some_waited = True
        Application.Volatile True
        ThisWorkbook.AskAgain
    ElseIf some_waited Then
        Application.Volatile False
    End If
End Function

Private Function Sent(ByVal given As Variant) As Variant
    Dim values_sent() As Variant, i As Long, last As Long
    ' Up to the last that is given: xlwings takes as long for each that is left out as for one that is not.
    last = UBound(given)
    Do While last >= LBound(given)
        If Not IsMissing(given(last)) Then Exit Do
        last = last - 1
    Loop
    If last < LBound(given) Then
        Sent = Array()
        Exit Function
    End If
    ' A new array: an assignment to a place that holds a range may write into the sheet. What is left out stays empty.
    ReDim values_sent(LBound(given) To last)
    For i = LBound(given) To last
        If IsObject(given(i)) Then
            values_sent(i) = Values(given(i))
        ElseIf Not IsMissing(given(i)) Then
            values_sent(i) = given(i)
        End If
    Next i
    Sent = values_sent
End Function

' Cells may read files beside their own workbook, and may be told to wait; a macro may not. Python is told only when
' another workbook asks.
Private Sub TellCaller()
    Dim folder As String, asker As String
    asker = "a macro"
    On Error Resume Next
    folder = Application.Caller.Worksheet.Parent.Path
    If Err.Number = 0 Then asker = "a cell in " & folder
    On Error GoTo 0
    If asker <> told Then
        CallPython "FILES_BESIDE", Array(folder, asker <> "a macro")
        told = asker
    End If
End Sub

' A Python that starts has been told nothing.
Public Sub ForgetCaller()
    told = ""
End Sub

' The one value of what Python gives, which is always rows.
Public Function OneOf(ByVal result As Variant) As Variant
    If IsArray(result) Then OneOf = result(LBound(result, 1), LBound(result, 2)) Else OneOf = result
End Function

' Value2: dates and currencies as the numbers they are. A range of several areas would lose all but its first.
Private Function Values(ByVal cells As Object) As Variant
    If cells.Areas.Count > 1 Then Err.Raise IN_WORDS, "sizebook", Said("areas", cells.Address)
    Values = cells.Value2
End Function

' Python hands an error over as the text of its code. As a text ISERROR would not see it and SUM would skip it.
Public Function AsCells(ByVal result As Variant) As Variant
    Dim i As Long, j As Long
    If Not IsArray(result) Then
        AsCells = AsCell(result)
        Exit Function
    End If
    If Dimensions(result) = 1 Then
        For i = LBound(result) To UBound(result)
            result(i) = AsCell(result(i))
        Next i
    Else
        For i = LBound(result, 1) To UBound(result, 1)
            For j = LBound(result, 2) To UBound(result, 2)
                result(i, j) = AsCell(result(i, j))
            Next j
        Next i
    End If
    AsCells = result
End Function

Private Function Dimensions(ByRef values As Variant) As Long
    Dim last As Long
    On Error GoTo OneDimension
    last = UBound(values, 2)
    Dimensions = 2
    Exit Function
OneDimension:
    Dimensions = 1
End Function

Private Function AsCell(ByVal value As Variant) As Variant
    AsCell = value
    If VarType(value) <> vbString Then Exit Function
    Select Case value
{cases}
        Case "{waiting}"
            AsCell = CVErr(GETTING_DATA)
            cell_waits = True
    End Select
End Function
